import { USUAL_READING_AGES_MS, type PlatformBasics } from '../contract/basics.ts';

export const basics: PlatformBasics = {
  platform: 'bluesky',
  display_name: 'Bluesky',
  connect_fields: ['identifier', 'app_password', 'service'],
  daily_cap: 50,
  reading_ages_ms: USUAL_READING_AGES_MS,
  settle_ms: 2000,
  worker: { timeout_s: 120, request_s: 80, memory_mb: 768, max_concurrency: 10 },
};
