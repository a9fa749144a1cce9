import type { PlatformStyle } from '../contract/style.ts';
import { MAX_LINKS } from './limits.ts';

export const style: PlatformStyle = {
  caption_length: 300,
  hashtags: 1,
  paragraphs: false,
  emojis: true,
  max_links: MAX_LINKS,
  guidance: 'personal and conversational, like talking to friends',
};
