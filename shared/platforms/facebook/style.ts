import type { PlatformStyle } from '../contract/style.ts';

export const style: PlatformStyle = {
  caption_length: 500,
  hashtags: 3,
  paragraphs: true,
  emojis: true,
  guidance: 'conversational, a short story, a question at the end',
};
