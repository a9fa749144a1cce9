import type { PlatformQuota } from '../contract/quota.ts';

/**
 * The prepaid credits of an app, which all of its accounts share. Only X counts them: it answers 402 to every call of an app
 * that has none left, and publishing through the app then pauses.
 *
 * @see https://docs.x.com/x-api/fundamentals/rate-limits
 */
export const quota: PlatformQuota = {
  buckets: { credits: { limit: null, period: { every: 'day', zone: 'UTC' }, scope: 'app' } },
  costs: {},
};
