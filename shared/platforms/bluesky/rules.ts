import { graphemes, utf16Units, utf8Bytes } from '../../text/measure.ts';
import { missingText, shapeText } from '../kit/draft.ts';
import { languages, limitedText, ownDescription } from '../kit/fields.ts';
import type { PictureNeeds, PlatformRules } from '../contract/rules.ts';
import { MB } from '../kit/sizes.ts';
import { basics } from './basics.ts';

/** The `app.bsky.feed.post` lexicon: `maxGraphemes` and `maxLength` of `text`. */
const TEXT = [graphemes(300), utf8Bytes(3000)];
const ALT_TEXT = utf16Units(1000);

/** The `app.bsky.embed.images` lexicon. */
export const PICTURES: PictureNeeds = {
  formats: ['JPG', 'PNG', 'GIF', 'WebP'],
  max_bytes: 2_000_000,
  alpha: 'WebP',
  animation: 'still',
  animation_in_album: 'refused',
};

/** Older servers still enforce the former limit. */
export const OLD_PICTURES: PictureNeeds = { ...PICTURES, max_bytes: 976_000 };

/** The lexicon allows 1,000,000 bytes for the thumbnail of a link card, half of what it allows for a picture. */
export const THUMB: PictureNeeds = { ...PICTURES, max_bytes: 976_000 };

export const rules: PlatformRules = {
  ...basics,
  post_types: { text: { max_files: 0 }, image: { max_files: 4 } },
  files: {
    image: { formats: ['JPG', 'PNG', 'GIF', 'WebP'], max_bytes: 100 * MB },
    // No post type uses these limits yet.
    video: { formats: ['MP4'], max_bytes: 100 * MB, max_seconds: 60 },
  },
  pictures: PICTURES,
  text: () => TEXT,
  title: () => [],
  titled: [],
  comment: null,
  text_fields: { bluesky_alt_text: ALT_TEXT },
  shape: draft => shapeText(draft.description, draft, rules),
  options: {
    bluesky_description: ownDescription('Bluesky'),
    bluesky_langs: languages(3, 'Languages of the text, up to 3 BCP 47 tags'),
    bluesky_alt_text: limitedText(ALT_TEXT, 'Alt text for every picture of the post'),
  },
  required: [],
  only_for: { bluesky_alt_text: ['image'] },
  fetched: [],
  combinations: ['A post with an animated GIF contains no other image.'],
  validate: missingText,
  banned_hashtags: false,
};
