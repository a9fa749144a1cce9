import { DAY } from '../../time/instant.ts';
import type { Lifetime } from '../contract/connector.ts';

/** Credentials are renewed when this share of their life is left … */
const RENEWAL_SHARE = 0.2;
/** … and at most this long before they expire. */
const MAX_AHEAD_MS = 7 * DAY;

/**
 * Returns the lifetime of renewable credentials that are issued at `now` and expire at `expiresAt`. `minAgeMs`: the age
 * before which the platform refuses to renew them.
 */
export function renewableUntil(expiresAt: number, now: number, minAgeMs = 0): Lifetime {
  const ahead = Math.min(MAX_AHEAD_MS, Math.max(0, expiresAt - now) * RENEWAL_SHARE);
  return { renew_at: Math.max(now + minAgeMs, expiresAt - ahead), expires_at: expiresAt };
}
