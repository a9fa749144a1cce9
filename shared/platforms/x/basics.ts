import { USUAL_READING_AGES_MS, type PlatformBasics } from '../contract/basics.ts';

export const basics: PlatformBasics = {
  platform: 'x',
  display_name: 'X',
  daily_cap: 50,
  reading_ages_ms: USUAL_READING_AGES_MS,
  settle_ms: 30_000,
  worker: { timeout_s: 60, request_s: 30, memory_mb: 512, max_concurrency: 10 },
};
