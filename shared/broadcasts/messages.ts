import * as v from 'valibot';
import { ENV } from '../aws/env.ts';
import { MAX_DELAY_S, sendMessage } from '../aws/queue.ts';
import { createSchedule } from '../aws/schedule.ts';
import type { Broadcast, BroadcastRef } from '../model/broadcast.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { MINUTE, SECOND } from '../time/instant.ts';

/** Makes the controller act on a broadcast. `at`: the `next_at` that the message is for; without it, it acts at once. */
export const BroadcastMessageSchema = v.object({
  workspace_id: v.string(),
  broadcast_id: v.string(),
  at: v.exactOptional(v.number()),
});
export type BroadcastMessage = v.InferOutput<typeof BroadcastMessageSchema>;

type Sender = Pick<Services, 'sqs' | 'setting' | 'now'>;

/** How much earlier a schedule is set: it fires within a minute of its time. A delayed message covers the rest. */
const SCHEDULE_AHEAD_MS = 1 * MINUTE;

/** Sends a message that arrives at `at` (epoch ms), at most 15 minutes ahead; queue delays are whole seconds. */
export function sendBroadcastMessage(services: Sender, message: BroadcastMessage, at: number): Promise<void> {
  return sendMessage(services.sqs, {
    ...queued(services, message),
    delayS: Math.ceil((at - services.now()) / SECOND),
  });
}

const queued = (
  { setting }: Pick<Sender, 'setting'>,
  { workspace_id, broadcast_id, at }: BroadcastMessage,
) => ({
  queueUrl: setting(ENV.broadcastQueueUrl),
  body: { workspace_id, broadcast_id, ...(at === undefined ? {} : { at }) },
  group: workspace_id,
});

/**
 * Has the controller act on a stored broadcast at its `next_at`: by a message, or by a schedule where the wait is too long
 * for one. Never throws: without a message, the sweeper wakes the broadcast.
 */
export async function wakeController(
  services: Sender & Pick<Services, 'scheduler'>,
  { workspace_id, id, next_at }: Broadcast,
): Promise<void> {
  if (next_at === null) return;
  const message = { workspace_id, broadcast_id: id, at: next_at };
  try {
    if (next_at - services.now() <= MAX_DELAY_S * SECOND) {
      await sendBroadcastMessage(services, message, next_at);
      return;
    }
    await createSchedule(services.scheduler, {
      name: `broadcast-${id}-${Math.floor(next_at / SECOND)}`,
      at: next_at - SCHEDULE_AHEAD_MS,
      scheduleGroup: services.setting(ENV.scheduleGroup),
      roleArn: services.setting(ENV.scheduleRoleArn),
      message: queued(services, message),
    });
  } catch (error) {
    log.warn('Could not schedule the next step; the sweeper will wake the broadcast', {
      session_id: id,
      ...describeError(error),
    });
  }
}

/** Has the controller act at once, whatever it waits for. Never throws, as `wakeController`. */
export async function wakeNow(services: Sender, { workspace_id, id }: BroadcastRef): Promise<void> {
  try {
    await sendBroadcastMessage(services, { workspace_id, broadcast_id: id }, services.now());
  } catch (error) {
    log.warn('Could not send a message; the sweeper will wake the broadcast', {
      session_id: id,
      ...describeError(error),
    });
  }
}
