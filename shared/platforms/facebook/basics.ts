import { USUAL_READING_AGES_MS, type PlatformBasics } from '../contract/basics.ts';
import { MB } from '../kit/sizes.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';

/** Videos are sent to Facebook at least this fast. Bytes per millisecond. */
const UPLOAD_RATE = (4 * MB) / SECOND;

export const basics: PlatformBasics = {
  platform: 'facebook',
  display_name: 'Facebook',
  target_field: 'facebook_page_id',
  app_fields: ['graph_version', 'config_id'],
  daily_cap: 25,
  prepare_ahead_ms: ({ post_type }, bytes) =>
    post_type === 'video' ? 3 * MINUTE + (bytes ?? 0) / UPLOAD_RATE : 90 * SECOND,
  reading_ages_ms: USUAL_READING_AGES_MS,
  settle_ms: MINUTE,
  worker: { timeout_s: 120, request_s: 90, memory_mb: 512, max_concurrency: 10 },
};
