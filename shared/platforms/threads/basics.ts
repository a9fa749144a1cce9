import { USUAL_READING_AGES_MS, type PlatformBasics } from '../contract/basics.ts';

export const basics: PlatformBasics = {
  platform: 'threads',
  display_name: 'Threads',
  daily_cap: 50,
  reading_ages_ms: USUAL_READING_AGES_MS,
  settle_ms: 30_000,
  // Threads fetches an image before it answers, and a video elsewhere is copied to the bucket first.
  worker: { timeout_s: 180, request_s: 120, memory_mb: 512, max_concurrency: 10 },
};
