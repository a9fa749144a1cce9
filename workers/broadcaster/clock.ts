import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** Gives the pace of a stream. */
export interface Clock {
  /** Resolves when the next tick is due. */
  next: () => Promise<void>;
  /** How far the ticks fell behind for good, in milliseconds. */
  behind_ms: () => number;
}

/** A longer delay is not made up for: after a standstill, the ingest would receive all of it at once. */
const MAX_LAG_MS = 2000;

/** Starts a clock of `fps` ticks a second. `now` returns milliseconds. */
export function startClock(fps: number, now: () => number = () => performance.now()): Clock {
  let origin = now();
  let ticks = 0;
  let behind = 0;
  return {
    next: async () => {
      const wait = origin + (ticks * 1000) / fps - now();
      ticks += 1;
      if (wait < -MAX_LAG_MS) {
        origin -= wait;
        behind -= wait;
      }
      if (wait > 0) await sleep(wait);
      else await setImmediate();
    },
    behind_ms: () => Math.round(behind),
  };
}
