import { keepFirst, type PlatformStyle } from '../contract/style.ts';
import { MAX_CASHTAGS } from './limits.ts';

export const style: PlatformStyle = {
  caption_length: 200,
  hashtags: 2,
  paragraphs: false,
  emojis: true,
  guidance: 'one punchy thought in one or two sentences',
  sanitize: text => keepFirst(text, /(?<=^|\s)\$(?=[a-z])/giu, MAX_CASHTAGS),
};
