import type { PlatformStyle } from '../contract/style.ts';

export const style: PlatformStyle = {
  caption_length: 300,
  hashtags: 3,
  paragraphs: false,
  emojis: false,
  guidance: 'descriptive and searchable: what it is and what it is good for',
};
