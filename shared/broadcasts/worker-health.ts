import type { Broadcast } from '../model/broadcast.ts';
import { HOUR, SECOND } from '../time/instant.ts';

/** How long a worker may be silent. It reports every 15 seconds, but a new one must first be started. */
const MAX_SILENCE_MS = { starting: 180 * SECOND, live: 90 * SECOND };

/** How long a task may not be found after it was started: lists of tasks lag behind. */
const UNSEEN_MS = 20 * SECOND;

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
