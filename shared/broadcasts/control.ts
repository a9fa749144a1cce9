import { PlatformError } from '../platforms/contract/error.ts';
import { describeError, log } from '../runtime/log.ts';
import { deleteBroadcast, getBroadcast } from '../store/broadcasts.ts';
import { DAY, MINUTE, SECOND } from '../time/instant.ts';
import { AccountGone, withAccount } from './account.ts';
import { sendBroadcastEvents } from './events.ts';
import { BroadcastChanged, hold } from './lease.ts';
import { sendBroadcastMessage, wakeController, type BroadcastMessage } from './messages.ts';
import { ending, type ControllerRun, type StepContext } from './run.ts';
import { end, logRetry, STEPS } from './steps.ts';
import { isFinal } from './transitions.ts';

/** Longer than the controller's function can run, so that the holder of an expired lease is certainly dead. */
const LEASE_MS = 75 * SECOND;
/** How long after another process acquired the lease the controller tries again. */
const BUSY_MS = 5 * SECOND;
/** A message may arrive this early, because queue delays are whole seconds. */
const EARLY_MS = 1 * SECOND;
/** Steps that follow each other at once. */
const MAX_STEPS = 6;

/**
 * Handles one message: does what the stored broadcast needs now, and has itself woken when it needs something again. Safe to
 * repeat; a message for a time that has been replaced by another is ignored.
 */
export async function handleBroadcastMessage(run: ControllerRun, message: BroadcastMessage): Promise<void> {
  const { services } = run;
  const { workspace_id, broadcast_id, at } = message;
  const ref = { workspace_id, id: broadcast_id };
  const stored = await getBroadcast(services.table, ref);
  if (!stored || stored.next_at === null) return;
  if (at !== undefined && at !== stored.next_at) return;
  // Schedules are set ahead of their time.
  if (at !== undefined && at > services.now() + EARLY_MS) return sendBroadcastMessage(services, message, at);
  const held = await hold(services, ref, LEASE_MS);
  if (!held) return sendBroadcastMessage(services, message, services.now() + BUSY_MS);
  await withAccount(services, run.live, held.broadcast, call => act({ ...run, held, call }));
}

async function act(context: StepContext): Promise<void> {
  for (let count = 1; ; count += 1) {
    try {
      const outcome = await step(context);
      const isNow = outcome.next !== null && outcome.next <= context.services.now();
      if (isNow && count < MAX_STEPS) continue;
      await release(context, outcome);
      return;
    } catch (error) {
      if (!(error instanceof BroadcastChanged)) throw error;
      // After a stop request, what the broadcast needs follows from what is stored now.
      if (count >= MAX_STEPS || !(await isStillHeld(context))) return;
    }
  }
}

async function isStillHeld({ held }: StepContext): Promise<boolean> {
  try {
    await held.reload();
    return true;
  } catch (error) {
    if (error instanceof BroadcastChanged) return false;
    throw error;
  }
}

interface Outcome {
  /** When to act again, epoch milliseconds; null when nothing is left to do. */
  next: number | null;
  /** Failures in a row. */
  failures: number;
}

async function step(context: StepContext): Promise<Outcome> {
  await sendBroadcastEvents(context);
  try {
    return { next: await STEPS[context.held.broadcast.status](context), failures: 0 };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return afterError(context, error);
  }
}

/** A broadcast that cannot be cleaned up at the platform is given up after a day. */
const GIVE_UP_MS = 1 * DAY;
const FIRST_BACKOFF_MS = 5 * SECOND;
const MAX_BACKOFF_MS = 15 * MINUTE;

async function afterError(context: StepContext, error: PlatformError): Promise<Outcome> {
  const { held, services } = context;
  const { status, ended_at, failures, id } = held.broadcast;
  const now = services.now();
  if (isFinal(status) && (error instanceof AccountGone || now > (ended_at ?? now) + GIVE_UP_MS)) {
    log.error('Gave up cleaning up a broadcast at the platform', { session_id: id, ...describeError(error) });
    return { next: null, failures: 0 };
  }
  if (error instanceof AccountGone) {
    return { next: await end(context, ending('stopped', error.code, error.message)), failures: 0 };
  }
  logRetry(held.broadcast, error);
  const backoff = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** failures);
  return { next: now + Math.max(backoff, error.retryAfterMs ?? 0), failures: failures + 1 };
}

/** Releases the lease and has the controller woken when the broadcast needs something again. */
async function release({ held, services }: StepContext, { next, failures }: Outcome): Promise<void> {
  if (next === null && held.broadcast.delete_requested) {
    if (!(await deleteBroadcast(services.table, held.broadcast))) throw new BroadcastChanged();
    return;
  }
  await held.save({ next_at: next, failures, lease: null });
  await wakeController(services, held.broadcast);
}
