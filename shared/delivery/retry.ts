import type { Destination } from '../model/destination.ts';
import { DAY, MINUTE } from '../time/instant.ts';

/** Waits after the first, second, … fault in a row; the last one repeats. */
const BACKOFF_MS = [1, 2, 4, 8, 15].map(minutes => minutes * MINUTE);

const MAX_ATTEMPTS = 10;
const MAX_AGE_MS = 1 * DAY;

/** The wait after `faults` faults in a row (1 = the first). A time that the platform named wins. */
export function backoffMs(failures: number, named: number | undefined): number {
  return named ?? BACKOFF_MS[Math.min(failures, BACKOFF_MS.length) - 1] ?? MINUTE;
}

/**
 * True when no further attempt is due: ten in a row failed, or the next would begin more than a day after the first.
 * Faults count in a row, so that scattered ones do not end a long, healthy upload.
 */
export function isExhausted(destination: Destination, failures: number, nextAt: number): boolean {
  return failures >= MAX_ATTEMPTS || isTooOld(destination, nextAt);
}

/** True when `nextAt` is more than a day after the first attempt. */
export function isTooOld(destination: Destination, nextAt: number): boolean {
  return nextAt - (destination.first_attempt_at ?? nextAt) > MAX_AGE_MS;
}
