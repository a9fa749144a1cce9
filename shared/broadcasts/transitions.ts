import type { Broadcast, BroadcastStatus } from '../model/broadcast.ts';

/*
 * Every change of a broadcast's status, as pure functions. Each returns what changes; `saveBroadcast` and `stopBroadcast` store
 * it on the condition that the status is still the one that the function was given.
 */

/** Where a broadcast can go from each status. One without a playlist has no worker and goes live from `pending`. */
const NEXT: Readonly<Record<BroadcastStatus, readonly BroadcastStatus[]>> = {
  pending: ['starting', 'live', 'stopped'],
  starting: ['live', 'failed', 'stopped'],
  live: ['completed', 'failed'],
  completed: [],
  failed: [],
  stopped: [],
};

export type FinalStatus = 'completed' | 'failed' | 'stopped';

type Changes<S extends BroadcastStatus> = Partial<Broadcast> & { status: S };

export const isFinal = (status: BroadcastStatus): boolean => NEXT[status].length === 0;

/** Throws for a change that the status does not allow: the caller is wrong. */
function moved<S extends BroadcastStatus>(
  { status }: Broadcast,
  to: S,
  changes: Partial<Broadcast>,
): Changes<S> {
  if (!NEXT[status].includes(to)) throw new Error(`A broadcast cannot become ${to} while it is ${status}`);
  return { ...changes, status: to };
}

/** The broadcast gets its first worker. */
export function starting(broadcast: Broadcast, now: number): Changes<'starting'> {
  return moved(broadcast, 'starting', withNextWorker(broadcast, now));
}

/** Another worker is started; the status stays as it is. */
export function withNextWorker(broadcast: Broadcast, now: number): Partial<Broadcast> {
  return {
    attempt: broadcast.attempt + 1,
    attempt_started_at: now,
    task_arn: null,
    heartbeat_at: null,
    worker_state: null,
    progress: null,
    replacements: broadcast.attempt === 0 ? 0 : broadcast.replacements + 1,
  };
}

/** The broadcast is on air. */
export function goneLive(broadcast: Broadcast, now: number): Changes<'live'> {
  return moved(broadcast, 'live', { started_at: now, checked_at: now, outbox: ['broadcast.live'] });
}

/** The broadcast is over. The worker ends itself; the rest is cleaned up next. */
export function ended(
  broadcast: Broadcast,
  status: FinalStatus,
  now: number,
  failure: Broadcast['failure'] = null,
): Changes<FinalStatus> {
  const event = status === 'failed' ? ('broadcast.failed' as const) : ('broadcast.ended' as const);
  return moved(broadcast, status, {
    ended_at: now,
    failure,
    stop_requested: true,
    failures: 0,
    outbox: [...broadcast.outbox, event],
    next_at: now,
  });
}

/** A user stops the broadcast. Null when it is over already. */
export function stopped(broadcast: Broadcast, now: number): Changes<FinalStatus> | null {
  if (isFinal(broadcast.status)) return null;
  return ended(broadcast, broadcast.status === 'live' ? 'completed' : 'stopped', now);
}

/** The request that creates the broadcast has failed, or died before it answered: what it has created is deleted again. */
export function abandoned(broadcast: Broadcast, now: number): Changes<'stopped'> {
  return moved(broadcast, 'stopped', {
    ended_at: now,
    stop_requested: true,
    delete_requested: true,
    next_at: now,
  });
}
