import type { PlatformQuota } from '../contract/quota.ts';

/** TikTok accepts six announcements of posts a minute from each account; more are spaced out. */
export const quota: PlatformQuota = {
  buckets: { init: { limit: 6, period: { every: 'minute' }, scope: 'account' } },
  costs: { post: 1 },
};
