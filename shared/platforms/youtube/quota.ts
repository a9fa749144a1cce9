import type { PlatformQuota, QuotaPeriod } from '../contract/quota.ts';
import { QUOTA_ZONE } from '../families/google/quota-zone.ts';

/** Google resets all quotas of a project at midnight Pacific Time. */
const DAY: QuotaPeriod = { every: 'day', zone: QUOTA_ZONE };

/** Prices of the service; Google's own are lower for uploads, which it counts in a bucket of their own. */
export const UNITS = {
  video_upload: 100,
  video_update: 50,
  video_delete: 50,
  thumbnail: 50,
  country_restriction: 50,
  first_comment: 50,
  caption_upload: 400,
  caption_list: 50,
  playlist_add: 50,
  playlist_create: 50,
  live_change: 50,
  list: 1,
} as const;

/**
 * Units of a Google Cloud project. `units` is counted with the service's prices, which are never below Google's;
 * `video_uploads` is the separate bucket in which Google counts `videos.insert`.
 *
 * @see https://developers.google.com/youtube/v3/determine_quota_cost
 */
export const quota: PlatformQuota = {
  buckets: {
    units: { limit: 10_000, period: DAY, scope: 'app' },
    video_uploads: { limit: 100, period: DAY, scope: 'app' },
  },
  costs: UNITS,
};
