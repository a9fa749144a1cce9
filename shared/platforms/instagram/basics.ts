import type { PlatformBasics } from '../contract/basics.ts';
import { DAY, HOUR, MINUTE } from '../../time/instant.ts';

/** Time for Instagram to fetch and process the files before a post is due. */
const PREPARE_IMAGES_MS = 3 * MINUTE;
const PREPARE_VIDEO_MS = 10 * MINUTE;

export const basics: PlatformBasics = {
  platform: 'instagram',
  display_name: 'Instagram',
  app_fields: ['graph_version'],
  daily_cap: 50,
  prepare_ahead_ms: ({ post_type }) => (post_type === 'video' ? PREPARE_VIDEO_MS : PREPARE_IMAGES_MS),
  // A story and its metrics are gone after a day.
  reading_ages_ms: [HOUR, 23 * HOUR, 7 * DAY],
  settle_ms: 45_000,
  // A step opens a file, copies it to the bucket and lets Instagram fetch it, or uploads a part of a large video.
  worker: { timeout_s: 300, request_s: 150, memory_mb: 512, max_concurrency: 10 },
};
