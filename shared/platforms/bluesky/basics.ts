import type { PlatformBasics } from '../contract/basics.ts';

export const basics: PlatformBasics = {
  platform: 'bluesky',
  display_name: 'Bluesky',
  daily_cap: 50,
  settle_ms: 2000,
  worker: { timeout_s: 120, request_s: 80, memory_mb: 768, max_concurrency: 10 },
};
