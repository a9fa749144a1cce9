import { HOUR, MINUTE, SECOND } from '../time/instant.ts';

/** Delays after the first, second, … failed attempt of a delivery. After the last one the delivery has failed. */
export const RETRY_DELAYS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

/** Largest share of a delay that is added at random, so that retries to a receiver that recovers are spread out. */
const JITTER = 0.2;
/** Longest delay that `Retry-After` of a receiver can request. */
const MAX_RETRY_AFTER = 10 * HOUR;

/**
 * Returns the milliseconds until the next attempt; null after the last one. `failed` is the number of failed attempts,
 * `random` is 0..1, `retryAfterMs` the value of the receiver's `Retry-After`.
 */
export function retryDelay(failed: number, random: number, retryAfterMs = 0): number | null {
  const delay = RETRY_DELAYS[failed - 1];
  if (delay === undefined) return null;
  return Math.max(Math.round(delay * (1 + JITTER * random)), Math.min(retryAfterMs, MAX_RETRY_AFTER));
}

/** Parses `Retry-After` (RFC 9110: seconds or an HTTP date) as milliseconds from now; 0 where it is missing or invalid. */
export function parseRetryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const text = header.trim();
  const delay = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now;
  return Number.isFinite(delay) ? Math.max(0, delay) : 0;
}
