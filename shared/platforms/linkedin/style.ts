import type { PlatformStyle } from '../contract/style.ts';

export const style: PlatformStyle = {
  caption_length: 900,
  hashtags: 4,
  paragraphs: true,
  emojis: false,
  guidance: 'a hook in the first line, single-sentence paragraphs, an insight, few emojis',
};
