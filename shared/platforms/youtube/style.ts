import type { PlatformStyle } from '../contract/style.ts';

export const style: PlatformStyle = {
  caption_length: 800,
  hashtags: 5,
  paragraphs: true,
  emojis: true,
  guidance:
    'a video description: what the video shows in the first two lines, then details, no angle brackets',
  // YouTube rejects titles and descriptions with angle brackets.
  sanitize: text => text.replace(/[<>]/g, ''),
};
