import { keepFirst, type PlatformStyle } from '../contract/style.ts';

/** Threads rejects posts with more links. */
const MAX_LINKS = 5;

export const style: PlatformStyle = {
  caption_length: 300,
  hashtags: 1,
  paragraphs: false,
  emojis: true,
  guidance: 'personal and conversational, like talking to friends',
  sanitize: text => keepFirst(text, /https?:\/\/\S+/giu, MAX_LINKS),
};
