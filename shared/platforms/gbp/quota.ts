import type { PlatformQuota } from '../contract/quota.ts';

/**
 * Google accepts ten changes a minute of each location, a limit that it does not raise. The locations of an account share
 * them here, so that more posts are spaced out instead of refused.
 *
 * @see https://developers.google.com/my-business/content/limits
 */
export const quota: PlatformQuota = {
  buckets: { changes: { limit: 10, period: { every: 'minute' }, scope: 'account' } },
  costs: { post: 1, gallery_video: 1 },
};
