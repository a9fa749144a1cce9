import type { PlatformStyle } from '../contract/style.ts';

export const style: PlatformStyle = {
  caption_length: 150,
  hashtags: 5,
  paragraphs: false,
  emojis: true,
  guidance: 'short, energetic, a hook that makes people watch',
};
