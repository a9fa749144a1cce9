import type { PlatformQuota } from '../contract/quota.ts';

/**
 * Posts of an app, all of its accounts together. X answers 402 to every call of an app whose credits are used up, and
 * publishing through the app then pauses.
 *
 * @see https://docs.x.com/x-api/fundamentals/rate-limits
 */
export const quota: PlatformQuota = {
  buckets: { posts: { limit: 10_000, period: { every: 'day', zone: 'UTC' }, scope: 'app' } },
  costs: { post: 1 },
};
