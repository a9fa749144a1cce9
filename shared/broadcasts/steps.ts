import type { Broadcast, BroadcastStatus } from '../model/broadcast.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import { describeError, log } from '../runtime/log.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../time/instant.ts';
import { AccountGone } from './account.ts';
import { cleanUp } from './clean-up.ts';
import { firstStepAt } from './first-step.ts';
import { checkOnAir, goOnAir, MOVING_MS } from './on-air.ts';
import { ending, type Ending, type Step, type StepContext } from './run.ts';
import { abandoned, ended, starting } from './transitions.ts';
import { watchWorker } from './watch-worker.ts';

/** How often the controller looks after a broadcast. */
const STARTING_MS = 5 * SECOND;
const LATE_START_MS = 15 * SECOND;
const LIVE_MS = 30 * SECOND;
/** How often it asks the platform whether a live broadcast is still on air: each request costs a unit of the quota. */
const CHECK_MS = 5 * MINUTE;
/** A playlist that the platform has not shown so long after its start has failed. */
const MAX_START_MS = 15 * MINUTE;
/** The user's own encoder is waited for so long. */
const MAX_ENCODER_WAIT_MS = 1 * DAY;

export const STEPS: Readonly<Record<BroadcastStatus, Step>> = {
  pending: waitForStart,
  starting: watchStart,
  live: watchLive,
  completed: cleanUp,
  failed: cleanUp,
  stopped: cleanUp,
};

async function waitForStart(context: StepContext): Promise<number | null> {
  const { held, services } = context;
  const { is_ready, playlist_id } = held.broadcast;
  const now = services.now();
  // The request that was creating it died before it answered.
  if (!is_ready) return save(context, abandoned(held.broadcast, now));
  const firstStep = firstStepAt(held.broadcast);
  if (now < firstStep) return firstStep;
  if (playlist_id === null) return waitForEncoder(context);
  return save(context, starting(held.broadcast, now));
}

/** A user's encoder may come late, so the wait between two requests grows with its delay. */
async function waitForEncoder(context: StepContext): Promise<number | null> {
  const { held, services } = context;
  const late = services.now() - held.broadcast.start_time;
  if (late > MAX_ENCODER_WAIT_MS) {
    return end(
      context,
      ending('stopped', 'NO_STREAM', 'No stream arrived within 24 hours of the start time'),
    );
  }
  const progress = await goOnAir(context);
  if (typeof progress === 'object') return end(context, progress);
  if (progress === 'live') return services.now();
  if (progress === 'moving') return services.now() + MOVING_MS;
  if (late < 10 * MINUTE) return services.now() + 10 * SECOND;
  return services.now() + (late < HOUR ? 30 * SECOND : 5 * MINUTE);
}

async function watchStart(context: StepContext): Promise<number | null> {
  const { held, services } = context;
  const over = await watchWorker(context);
  if (over?.status === 'failed') return end(context, over);
  const { start_time } = held.broadcast;
  if (services.now() < start_time) return Math.min(start_time, services.now() + LATE_START_MS);
  const isLate = services.now() > start_time + MINUTE;
  const again = services.now() + (isLate ? LATE_START_MS : STARTING_MS);
  if (services.now() > start_time + MAX_START_MS) {
    return end(
      context,
      ending('failed', 'NO_STREAM', 'YouTube did not receive the stream within 15 minutes'),
    );
  }
  try {
    const progress = await goOnAir(context);
    if (typeof progress === 'object') return await end(context, progress);
    if (progress === 'live') return services.now();
    if (over && progress === 'waiting') {
      const message = 'The playlist ended before YouTube had received its stream';
      return await end(context, ending('failed', 'PLAYLIST_ENDED', message));
    }
    return progress === 'moving' ? services.now() + MOVING_MS : again;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (isFatal(error) || (error.retryAfterMs ?? 0) > MAX_START_MS) {
      return end(context, ending('failed', error.code, error.message));
    }
    logRetry(held.broadcast, error);
    return again;
  }
}

async function watchLive(context: StepContext): Promise<number | null> {
  const { held, services } = context;
  const over = held.broadcast.playlist_id === null ? null : await watchWorker(context);
  if (over) return end(context, over);
  if (services.now() - (held.broadcast.checked_at ?? 0) >= CHECK_MS) {
    const endedThere = await checkUnlessRefused(context);
    if (endedThere) return end(context, endedThere);
  }
  return services.now() + LIVE_MS;
}

/** A stream goes on while the platform refuses our requests: the user can reconnect the account meanwhile. */
async function checkUnlessRefused(context: StepContext): Promise<Ending | null> {
  try {
    return await checkOnAir(context);
  } catch (error) {
    if (error instanceof AccountGone) return ending('failed', error.code, error.message);
    if (!(error instanceof PlatformError)) throw error;
    logRetry(context.held.broadcast, error);
    await context.held.save({ checked_at: context.services.now() });
    return null;
  }
}

const isFatal = ({ kind }: PlatformError): boolean => kind === 'rejected' || kind === 'token_expired';

export function logRetry({ id, status }: Broadcast, error: PlatformError): void {
  log.warn('The platform refused a request about a broadcast; it is repeated', {
    session_id: id,
    status,
    ...describeError(error),
  });
}

export async function end(context: StepContext, { status, failure }: Ending): Promise<number> {
  const now = context.services.now();
  await context.held.save(ended(context.held.broadcast, status, now, failure));
  return now;
}

async function save({ held, services }: StepContext, changes: Partial<Broadcast>): Promise<number> {
  await held.save(changes);
  return services.now();
}
