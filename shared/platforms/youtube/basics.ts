import { USUAL_READING_AGES_MS, type PlatformBasics } from '../contract/basics.ts';
import { uploadLeadMs } from './lead.ts';

export const basics: PlatformBasics = {
  platform: 'youtube',
  display_name: 'YouTube',
  daily_cap: 10,
  prepare_ahead_ms: (_post, bytes) => uploadLeadMs(bytes),
  reading_ages_ms: USUAL_READING_AGES_MS,
  settle_ms: 60_000,
  worker: { timeout_s: 300, request_s: 120, memory_mb: 1024, max_concurrency: 5 },
};
