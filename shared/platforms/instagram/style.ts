import { keepFirst, type PlatformStyle } from '../contract/style.ts';
import { MAX_MENTIONS } from './limits.ts';

export const style: PlatformStyle = {
  caption_length: 600,
  hashtags: 10,
  paragraphs: true,
  emojis: true,
  guidance: 'a strong first line, short paragraphs, a few emojis, a question or call to action at the end',
  sanitize: text => keepFirst(text, /@(?=[a-z0-9._])/giu, MAX_MENTIONS),
};
