import { ENV } from '../aws/env.ts';
import { sendMessage } from '../aws/queue.ts';
import { createSchedule } from '../aws/schedule.ts';
import type { ServiceEvent } from '../model/event.ts';
import type { Services } from '../runtime/services.ts';
import type { GroupedMessage } from './messages.ts';

type Sender = Pick<Services, 'sqs' | 'setting'>;

/**
 * Sends events to the events queue, as one message: SQS is paid by the message. The dispatcher delivers each to every
 * webhook of the workspace that is subscribed to it.
 */
export async function sendEvents(
  services: Sender,
  events: readonly ServiceEvent[],
  workspaceId: string,
  requestId?: string,
): Promise<void> {
  if (events.length === 0) return;
  await sendEventMessage(services, {
    body: {
      kind: 'events',
      workspace_id: workspaceId,
      events: [...events],
      ...(requestId !== undefined && { request_id: requestId }),
    },
    group: workspaceId,
  });
}

/** Sends a message to the events queue. `delayS`: seconds, at most 900. */
export function sendEventMessage(services: Sender, message: GroupedMessage, delayS = 0): Promise<void> {
  return sendMessage(services.sqs, { queueUrl: services.setting(ENV.eventsQueueUrl), ...message, delayS });
}

/** Creates a schedule that sends a message to the events queue at a time beyond the longest delay. `at`: epoch milliseconds. */
export function scheduleEventMessage(
  services: Pick<Services, 'scheduler' | 'setting'>,
  name: string,
  message: GroupedMessage,
  at: number,
): Promise<void> {
  return createSchedule(services.scheduler, {
    name,
    at,
    message: { queueUrl: services.setting(ENV.eventsQueueUrl), ...message },
    scheduleGroup: services.setting(ENV.scheduleGroup),
    roleArn: services.setting(ENV.scheduleRoleArn),
  });
}
