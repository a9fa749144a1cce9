import type { PlatformErrorInit } from '../platforms/contract/error.ts';
import { DAY, MINUTE } from '../time/instant.ts';

/** Delays after the first, second, … consecutive failure; the last one repeats. Milliseconds. */
const BACKOFF_MS: readonly number[] = [1, 2, 4, 8, 15].map(minutes => minutes * MINUTE);

const MAX_FAILURES = 10;
/** How many of them limits of the platform may use up. */
const MAX_OF_LIMITS = 7;
const MAX_AGE_MS = 1 * DAY;

/** What a retry budget is spent on: a destination or a follow-up. */
interface Attempted {
  first_attempt_at: number | null;
}

/** The budget before a first attempt, and after a wait for a limit, which is not a failure. */
export const FULL_BUDGET = { failures: 0, first_attempt_at: null } as const;

/**
 * Returns the delay after `failures` consecutive failures (1 = the first), in milliseconds. A delay that the platform named
 * wins; else the delays that suit the error, where it has its own.
 */
export function delayAfter(
  failures: number,
  { retryAfterMs, backoffMs = BACKOFF_MS }: Pick<PlatformErrorInit, 'retryAfterMs' | 'backoffMs'> = {},
): number {
  return retryAfterMs ?? backoffMs[Math.min(failures, backoffMs.length) - 1] ?? MINUTE;
}

/**
 * True when there is no further attempt: after ten consecutive failures, or when the next would begin more than a day
 * after the first. Only consecutive failures count, so that scattered ones do not end a long upload.
 */
export function isExhausted(attempted: Attempted, failures: number, nextAt: number): boolean {
  return failures >= MAX_FAILURES || isTooOld(attempted, nextAt);
}

/**
 * Returns the count of consecutive failures after one more. A limit of the platform lasts as long as it lasts: only a day
 * ends its retries, and it leaves failures of other kinds some of theirs.
 */
export const failuresAfter = (failures: number, isLimit: boolean): number =>
  isLimit ? Math.max(failures, Math.min(failures + 1, MAX_OF_LIMITS)) : failures + 1;

/** True when `nextAt` is more than a day after the first attempt. */
export function isTooOld({ first_attempt_at }: Attempted, nextAt: number): boolean {
  return nextAt - (first_attempt_at ?? nextAt) > MAX_AGE_MS;
}
