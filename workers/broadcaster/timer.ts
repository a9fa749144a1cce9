import { setImmediate, setTimeout } from 'node:timers/promises';

/** The time of a broadcast. */
export interface Timer {
  /** Milliseconds from any beginning. */
  now: () => number;
  /** Resolves after `ms` or a little later, and as soon as the signal is aborted. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export const REAL_TIME: Timer = {
  now: () => performance.now(),
  sleep: async (ms, signal) => {
    if (ms > 0) await setTimeout(ms, undefined, { signal }).catch(() => undefined);
    // Without a wait, input and output must have their turn, too.
    else await setImmediate();
  },
};
