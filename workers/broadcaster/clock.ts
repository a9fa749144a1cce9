import { SECOND } from '../../shared/time/instant.ts';
import type { Timer } from './timer.ts';

/** Gives the pace of a stream. */
export interface Clock {
  /** Resolves when the next tick is due. */
  next: () => Promise<void>;
  /** How far the ticks fell behind for good, in milliseconds. */
  behind_ms: () => number;
}

/** A longer delay is made up for only in part: the ingest and the viewers have lost the stream already. */
const MAX_LAG_MS = 5 * SECOND;
/** A delay is made up for at this multiple of real time: decoders and ingest could not take all of it at once. */
const CATCH_UP = 2;

/** Starts a clock of `fps` ticks a second. */
export function startClock(fps: number, timer: Timer): Clock {
  const tick = SECOND / fps;
  let due = timer.now();
  let last = -Infinity;
  let behind = 0;
  return {
    next: async () => {
      const lost = Math.max(0, timer.now() - due - MAX_LAG_MS);
      due += lost;
      behind += lost;
      const at = Math.max(due, last + tick / CATCH_UP);
      await timer.sleep(at - timer.now());
      last = timer.now();
      due += tick;
    },
    behind_ms: () => Math.round(behind),
  };
}
