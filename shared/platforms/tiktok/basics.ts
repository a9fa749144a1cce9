import { USUAL_READING_AGES_MS, type PlatformBasics } from '../contract/basics.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';

/** A video is announced and sent, but for its end, before its time. The URL of the upload lasts an hour. */
const MIN_AHEAD_MS = 90 * SECOND;
const MAX_AHEAD_MS = 40 * MINUTE;
/** A slow host of media: 5 MB a second. */
const BYTES_PER_MS = 5000;

export const basics: PlatformBasics = {
  platform: 'tiktok',
  display_name: 'TikTok',
  app_fields: ['audited', 'chunk_bytes'],
  daily_cap: 15,
  prepare_ahead_ms: (_post, bytes) => Math.min(MAX_AHEAD_MS, MIN_AHEAD_MS + (bytes ?? 0) / BYTES_PER_MS),
  reading_ages_ms: USUAL_READING_AGES_MS,
  settle_ms: 60_000,
  worker: { timeout_s: 180, request_s: 120, memory_mb: 1024, max_concurrency: 5 },
};
