import { ENV } from '../aws/env.ts';
import { sendNote } from '../aws/queue.ts';
import { createAlarm } from '../aws/schedule.ts';
import type { ServiceEvent } from '../model/event.ts';
import type { Services } from '../runtime/services.ts';
import type { GroupedNote } from './note.ts';

type Sender = Pick<Services, 'sqs' | 'setting'>;

/** Puts an event on the events queue, from where it goes to every webhook of the workspace that wants it. */
export function announce(services: Sender, event: ServiceEvent, workspaceId: string): Promise<void> {
  return sendEventsNote(services, {
    body: { kind: 'event', workspace_id: workspaceId, event },
    group: workspaceId,
  });
}

/** Puts a note on the events queue. `delayS`: seconds, at most 900. */
export function sendEventsNote(services: Sender, note: GroupedNote, delayS = 0): Promise<void> {
  return sendNote(services.sqs, { queueUrl: services.setting(ENV.eventsQueueUrl), ...note, delayS });
}

/** Has a note put on the events queue at a time that no delay reaches. One name, one alarm. `at`: epoch milliseconds. */
export function scheduleEventsNote(
  services: Pick<Services, 'scheduler' | 'setting'>,
  name: string,
  note: GroupedNote,
  at: number,
): Promise<void> {
  return createAlarm(services.scheduler, {
    name,
    at,
    note: { queueUrl: services.setting(ENV.eventsQueueUrl), ...note },
    scheduleGroup: services.setting(ENV.scheduleGroup),
    roleArn: services.setting(ENV.scheduleRoleArn),
  });
}
