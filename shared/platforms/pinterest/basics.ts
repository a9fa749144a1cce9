import type { PlatformBasics } from '../contract/basics.ts';

export const basics: PlatformBasics = {
  platform: 'pinterest',
  display_name: 'Pinterest',
  daily_cap: 20,
  settle_ms: 60_000,
  // A video is sent as one form, from its beginning to its end.
  worker: { timeout_s: 600, request_s: 420, memory_mb: 1024, max_concurrency: 5 },
};
