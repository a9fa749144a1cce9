import type { Broadcast, BroadcastStatus } from '../model/broadcast.ts';
import { HOUR, MINUTE, SECOND } from '../time/instant.ts';

/** Where a broadcast can go from each status. One without a playlist has no worker and goes live from `pending`. */
const NEXT: Readonly<Record<BroadcastStatus, readonly BroadcastStatus[]>> = {
  pending: ['starting', 'live', 'stopped'],
  starting: ['live', 'failed', 'stopped'],
  live: ['completed', 'failed'],
  completed: [],
  failed: [],
  stopped: [],
};

export const mayBecome = (from: BroadcastStatus, to: BroadcastStatus): boolean => NEXT[from].includes(to);

export const isFinal = (status: BroadcastStatus): boolean => NEXT[status].length === 0;

/** Returns the status of a broadcast that is stopped now; null when it is over already. */
export function stoppedStatus(status: BroadcastStatus): FinalStatus | null {
  if (isFinal(status)) return null;
  return status === 'live' ? 'completed' : 'stopped';
}

/** How long a worker may be silent. It reports every 15 seconds, but a new one must first be started. */
const MAX_SILENCE_MS = { starting: 180 * SECOND, live: 90 * SECOND };

/** How long a task may not be found after it was started: lists of tasks lag behind. */
const UNSEEN_MS = 20 * SECOND;

/** How much earlier than the broadcast its worker is started: it takes up to a minute to be ready. */
const WORKER_LEAD_MS = 2 * MINUTE;
/** The user's own encoder may begin this early. */
const ENCODER_LEAD_MS = 1 * MINUTE;

/** Returns when the controller acts on a new broadcast first, epoch milliseconds. */
export function firstStepAt({
  playlist_id,
  start_time,
}: Pick<Broadcast, 'playlist_id' | 'start_time'>): number {
  return start_time - (playlist_id === null ? ENCODER_LEAD_MS : WORKER_LEAD_MS);
}

/** How a worker is. `lost`: it has died or is silent. */
export type WorkerHealth = 'well' | 'finished' | 'failed' | 'lost';

/** Returns how the current worker is. `isRunning`: its task, where that is known. */
export function workerHealth(broadcast: Broadcast, isRunning: boolean, now: number): WorkerHealth {
  const { status, worker_state, heartbeat_at, attempt_started_at } = broadcast;
  if (worker_state === 'finished' || worker_state === 'failed') return worker_state;
  const startedAt = attempt_started_at ?? now;
  if (!isRunning && now - startedAt > UNSEEN_MS) return 'lost';
  // A worker that takes the place of another while the broadcast is live must be started, too.
  const isLive = status === 'live' && heartbeat_at !== null;
  const silence = now - (heartbeat_at ?? startedAt);
  return silence > MAX_SILENCE_MS[isLive ? 'live' : 'starting'] ? 'lost' : 'well';
}

/** Whether another worker may take the place of a lost one: once for each hour of the broadcast that has begun. */
export function mayReplaceWorker({ replacements, started_at }: Broadcast, now: number): boolean {
  const hoursBegun = 1 + Math.floor((now - (started_at ?? now)) / HOUR);
  return replacements < hoursBegun;
}

/** Returns what changes when a worker is started. */
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

/** Returns what changes when a broadcast has gone live. */
export function goneLive(now: number): Partial<Broadcast> {
  return { status: 'live', started_at: now, outbox: ['broadcast.live'] };
}

export type FinalStatus = 'completed' | 'failed' | 'stopped';

/** Returns what changes when a broadcast is over. The worker ends itself; the rest is cleaned up next. */
export function ended(
  broadcast: Broadcast,
  status: FinalStatus,
  now: number,
  failure: Broadcast['failure'] = null,
): Partial<Broadcast> {
  const event = status === 'failed' ? ('broadcast.failed' as const) : ('broadcast.ended' as const);
  return {
    status,
    ended_at: now,
    failure,
    stop_requested: true,
    failures: 0,
    outbox: [...broadcast.outbox, event],
    next_at: now,
  };
}

/** Returns what changes when a broadcast whose creation was not answered is taken back: it is deleted again. */
export function abandoned(now: number): Partial<Broadcast> {
  return {
    status: 'stopped',
    ended_at: now,
    stop_requested: true,
    delete_requested: true,
    next_at: now,
  };
}
