import { ApiError } from '../http/errors.ts';
import type { Connection } from '../model/profile.ts';
import { BASICS } from '../platforms/registry/basics.ts';
import { SECOND, toIso } from '../time/instant.ts';
import type { CapViolation } from './reserve.ts';

const secondsUntil = (at: number, now: number) => Math.max(1, Math.ceil((at - now) / SECOND));

/** Returns the 429 for daily caps of the service; it lists every platform whose cap is reached. */
export function capReached(violations: readonly CapViolation[], now: number): ApiError {
  const first = Math.min(...violations.map(({ frees_at }) => frees_at));
  return new ApiError({
    status: 429,
    headers: { 'retry-after': String(secondsUntil(first, now)) },
    body: {
      success: false,
      error: 'Daily post cap reached',
      violations: violations.map(({ platform, cap, used }) => ({
        platform,
        type: 'hard_cap',
        message: `${BASICS[platform].display_name} allows ${cap} posts per account in 24 hours`,
        used_last_24h: used,
        cap,
      })),
    },
  });
}

/** Returns the first connection whose platform announced a limit that still applies at `at` (epoch ms). */
export function announcedLimitOf(connections: readonly Connection[], at: number): Connection | undefined {
  return connections.find(({ announced_limit }) => (announced_limit?.resets_at ?? 0) > at);
}

/** Returns the 429 for a limit that the platform itself announced. */
export function platformLimited({ platform, announced_limit }: Connection, now: number): ApiError {
  const { limit, resets_at } = announced_limit ?? { limit: 0, resets_at: now };
  const retryAfter = secondsUntil(resets_at, now);
  return new ApiError({
    status: 429,
    headers: { 'retry-after': String(retryAfter) },
    body: {
      error: platformLimitMessage(platform),
      code: 'PLATFORM_RATE_LIMIT',
      retry_after: retryAfter,
      platform,
      limit,
      resets_at: toIso(resets_at),
    },
  });
}

export const platformLimitMessage = (platform: Connection['platform']) =>
  `${BASICS[platform].display_name} accepts no more posts from this account until its limit resets`;
