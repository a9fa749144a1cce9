import { graphemes, utf16Units, utf8Bytes } from '../../text/measure.ts';
import { isBlank } from '../../text/normalize.ts';
import { shapeText } from '../kit/draft.ts';
import { limited } from '../kit/fields.ts';
import { mixedGif } from '../kit/gif.ts';
import type { Draft, Fault, PictureNeeds, PlatformRules } from '../contract/rules.ts';
import { MB } from '../kit/sizes.ts';

/** The `app.bsky.feed.post` lexicon: `maxGraphemes` and `maxLength` of `text`. */
const TEXT = [graphemes(300), utf8Bytes(3000)];
const ALT_TEXT = utf16Units(1000);

/** The `app.bsky.embed.images` lexicon. */
export const PICTURES: PictureNeeds = {
  formats: ['JPG', 'PNG', 'GIF', 'WebP'],
  max_bytes: 2_000_000,
  alpha: 'WebP',
  animation: 'still',
  moves_alone: true,
};

/** What servers of older make still insist on. */
export const OLD_PICTURES: PictureNeeds = { ...PICTURES, max_bytes: 976_000 };

/** The lexicon allows the thumbnail of a card 1,000,000 bytes; twice that only pictures of a post. */
export const THUMB: PictureNeeds = { ...PICTURES, max_bytes: 976_000 };

export const rules: PlatformRules = {
  platform: 'bluesky',
  display_name: 'Bluesky',
  post_types: { text: { max_files: 0 }, image: { max_files: 4 } },
  files: {
    image: { formats: ['JPG', 'PNG', 'GIF', 'WebP'], max_bytes: 100 * MB },
    // No post type here carries a video yet.
    video: { formats: ['MP4'], max_bytes: 100 * MB, max_seconds: 60 },
  },
  pictures: PICTURES,
  text: () => TEXT,
  title: () => [],
  titled: [],
  comment: null,
  text_fields: { bluesky_alt_text: ALT_TEXT },
  shape: draft => shapeText(draft.description, draft, rules),
  options: { bluesky_alt_text: limited(ALT_TEXT, 'What the pictures show; the same for all of them') },
  required: [],
  only_for: { bluesky_alt_text: ['image'] },
  fetched: [],
  combinations: ['A GIF is the only image of its post.'],
  check: draft => [...emptyText(draft), ...mixedGif('Bluesky', draft)],
  daily_cap: 50,
  settle_ms: 2000,
  worker: { timeout_s: 60, memory_mb: 1024, max_concurrency: 10 },
};

function emptyText({ post_type, description }: Draft): Fault[] {
  if (post_type !== 'text' || !isBlank(description ?? '')) return [];
  return [{ field: 'description', message: 'A Bluesky text post needs a text' }];
}
