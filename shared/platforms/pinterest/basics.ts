import { DAY } from '../../time/instant.ts';
import type { PlatformBasics } from '../contract/basics.ts';

export const basics: PlatformBasics = {
  platform: 'pinterest',
  display_name: 'Pinterest',
  app_fields: ['environment'],
  daily_cap: 20,
  reading_ages_ms: [DAY, 3 * DAY, 10 * DAY],
  settle_ms: 60_000,
  // A video is sent as one form, from its beginning to its end.
  worker: { timeout_s: 600, request_s: 420, memory_mb: 1024, max_concurrency: 5 },
};
