import { USUAL_READING_AGES_MS, type PlatformBasics } from '../contract/basics.ts';
import type { Post } from '../../model/post.ts';
import { MB } from '../kit/sizes.ts';
import { MINUTE } from '../../time/instant.ts';

/** A large video is uploaded at this speed at least, and processed afterwards. Bytes per second. */
const UPLOAD_RATE = 5 * MB;
const MAX_AHEAD_MS = 60 * MINUTE;

function prepareAheadMs({ post_type }: Pick<Post, 'post_type'>, bytes: number | null): number {
  if (post_type !== 'video') return 2 * MINUTE;
  return Math.min(MAX_AHEAD_MS, 10 * MINUTE + ((bytes ?? 0) / UPLOAD_RATE) * 1000);
}

export const basics: PlatformBasics = {
  platform: 'linkedin',
  display_name: 'LinkedIn',
  target_field: 'linkedin_page_id',
  app_fields: ['kind', 'api_version', 'extra_scopes'],
  daily_cap: 150,
  prepare_ahead_ms: prepareAheadMs,
  reading_ages_ms: USUAL_READING_AGES_MS,
  settle_ms: 30_000,
  worker: { timeout_s: 240, request_s: 100, memory_mb: 512, max_concurrency: 10 },
};
