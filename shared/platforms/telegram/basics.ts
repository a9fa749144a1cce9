import type { PlatformBasics } from '../contract/basics.ts';

export const basics: PlatformBasics = {
  platform: 'telegram',
  display_name: 'Telegram',
  // Telegram has no daily limit. This one keeps a channel readable and far from flood control.
  connect_fields: ['chat_id', 'bot_token'],
  daily_cap: 100,
  settle_ms: 5000,
  worker: { timeout_s: 180, request_s: 160, memory_mb: 512, max_concurrency: 5 },
};
