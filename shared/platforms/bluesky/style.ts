import type { PlatformStyle } from '../contract/style.ts';

export const style: PlatformStyle = {
  caption_length: 220,
  hashtags: 2,
  paragraphs: false,
  emojis: true,
  guidance: 'plain and witty, one thought',
};
