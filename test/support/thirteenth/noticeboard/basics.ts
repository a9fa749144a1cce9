import type { PlatformBasics } from '../contract/basics.ts';

export const basics: PlatformBasics = {
  platform: 'noticeboard',
  display_name: 'Noticeboard',
  connect_fields: ['board', 'password'],
  daily_cap: 50,
  settle_ms: 1000,
  worker: { timeout_s: 60, request_s: 25, memory_mb: 512, max_concurrency: 2 },
};
