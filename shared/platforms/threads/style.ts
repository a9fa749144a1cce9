import type { PlatformStyle } from '../contract/style.ts';

export const style: PlatformStyle = {
  caption_length: 300,
  hashtags: 1,
  paragraphs: false,
  emojis: true,
  max_links: 5,
  guidance: 'personal and conversational, like talking to friends',
};
