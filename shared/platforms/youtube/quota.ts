import type { PlatformQuota, QuotaPeriod } from '../contract/quota.ts';

/** Google resets all quotas of a project at midnight Pacific Time. */
const DAY: QuotaPeriod = { every: 'day', zone: 'America/Los_Angeles' };

/**
 * Units of a Google Cloud project. `units` is counted with the service's prices; `video_uploads` is the separate bucket in
 * which Google counts `videos.insert`.
 *
 * @see https://developers.google.com/youtube/v3/determine_quota_cost
 */
export const quota: PlatformQuota = {
  buckets: {
    units: { limit: 10_000, period: DAY, scope: 'app' },
    video_uploads: { limit: 100, period: DAY, scope: 'app' },
  },
  costs: {
    video_upload: 100,
    thumbnail: 50,
    country_restriction: 50,
    first_comment: 50,
    caption_upload: 400,
    playlist_add: 50,
    playlist_create: 50,
    list: 1,
  },
};
