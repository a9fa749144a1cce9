import type { PlatformBasics } from '../contract/basics.ts';

export const basics: PlatformBasics = {
  platform: 'gbp',
  display_name: 'Google Business',
  target_field: 'gbp_location_id',
  daily_cap: 25,
  settle_ms: 60_000,
  // Google fetches files before it answers.
  worker: { timeout_s: 240, request_s: 130, memory_mb: 512, max_concurrency: 5 },
};
