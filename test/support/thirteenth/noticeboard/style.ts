import type { PlatformStyle } from '../contract/style.ts';

export const style: PlatformStyle = {
  caption_length: 120,
  hashtags: 0,
  paragraphs: false,
  emojis: false,
  guidance: 'a short public notice in plain words',
};
