import type { Broadcast } from '../model/broadcast.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import type { LivePlatform } from '../platforms/contract/live.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { createBroadcast, deleteBroadcast, getBroadcast } from '../store/broadcasts.ts';
import { SECOND } from '../time/instant.ts';
import { withAccount } from './account.ts';
import { firstStepAt } from './first-step.ts';
import { hold, type Held } from './lease.ts';
import { wakeController, wakeNow } from './messages.ts';
import { openBroadcastQueue } from './queue.ts';
import { setUp } from './set-up.ts';
import { abandoned, isFinal } from './transitions.ts';

/** Longer than an API function can run. */
export const CREATE_LEASE_MS = 33 * SECOND;

/**
 * Stores a session, creates its broadcast at the platform and has it start in time. Repeated with the same id, it continues
 * where an interrupted run died. When it fails, nothing stays behind: what was created is deleted again, by the controller
 * where that cannot be done at once. Throws PlatformError.
 */
export async function createSession(
  services: Services,
  live: LivePlatform,
  session: Broadcast,
): Promise<Broadcast> {
  const { table } = services;
  if (!(await createBroadcast(table, session))) {
    const earlier = await getBroadcast(table, session);
    if (earlier?.is_ready) return earlier;
  }
  const held = await hold(services, session, CREATE_LEASE_MS);
  if (!held || isFinal(held.broadcast.status)) throw stillRunning();
  const isRepeated = held.broadcast.intents.broadcast !== null;
  try {
    await withAccount(services, live, session, call => setUp({ services, held, call }));
    await held.save({ is_ready: true, lease: null, next_at: firstStepAt(session) });
  } catch (error) {
    await takeBack(services, held, isRepeated || isOutcomeUnknown(error));
    throw error;
  }
  await openBroadcastQueue(services);
  await wakeController(services, held.broadcast);
  return held.broadcast;
}

const isOutcomeUnknown = (error: unknown) => !(error instanceof PlatformError) || error.outcomeUnknown;

/** Never throws: the sweeper takes back what was left. `mayExist`: a lost request may have created the broadcast. */
async function takeBack(services: Services, held: Held, mayExist: boolean): Promise<void> {
  try {
    if (!mayExist && held.broadcast.youtube_broadcast_id === null) {
      await deleteBroadcast(services.table, held.broadcast);
      return;
    }
    await held.save({ ...abandoned(held.broadcast, services.now()), lease: null });
    await openBroadcastQueue(services);
    await wakeNow(services, held.broadcast);
  } catch (error) {
    log.warn('Could not take back a broadcast; the sweeper will', {
      session_id: held.broadcast.id,
      ...describeError(error),
    });
  }
}

const stillRunning = () =>
  new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'An interrupted run of this request is being completed or taken back; retry later',
    retryAfterMs: CREATE_LEASE_MS,
  });
