import { HOUR, MINUTE, SECOND } from '../time/instant.ts';

/** Waits after the first, second, … failed attempt of a delivery. After the last one it is dead. */
export const RETRY_DELAYS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

/** Share of a wait that chance may add, so that receivers that come back are not met by all at once. */
const JITTER = 0.2;
/** Longest wait that a receiver can ask for by `Retry-After`. */
const MAX_RETRY_AFTER = 10 * HOUR;

/**
 * Milliseconds until the next attempt; null when the one just failed was the last. `failed` counts the failed attempts,
 * `random` is 0..1, `retryAfterMs` what the receiver asked for.
 */
export function retryDelay(failed: number, random: number, retryAfterMs = 0): number | null {
  const wait = RETRY_DELAYS[failed - 1];
  if (wait === undefined) return null;
  return Math.max(Math.round(wait * (1 + JITTER * random)), Math.min(retryAfterMs, MAX_RETRY_AFTER));
}

/** Reads `Retry-After` (RFC 9110: seconds or an HTTP date) as milliseconds from now; 0 where it says nothing useful. */
export function retryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const text = header.trim();
  const wait = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : 0;
}
