import * as v from 'valibot';
import { countGraphemes } from 'unicode-segmenter/grapheme';
import { isBlank, normalizeText } from '../../text/normalize.ts';
import { truncate } from '../../text/truncate.ts';
import type { Draft, Fault, PlatformRules, TextRule } from '../rules.ts';

/** The `app.bsky.feed.post` lexicon: `maxGraphemes` and `maxLength` (UTF-8 bytes) of `text`. */
const MAX_GRAPHEMES = 300;
const MAX_BYTES = 3000;

export const rules: PlatformRules = {
  platform: 'bluesky',
  display_name: 'Bluesky',
  post_types: { text: { max_files: 0 }, image: { max_files: 4 } },
  text: () => TEXT_RULES,
  shape,
  options: { bluesky_alt_text: v.optional(v.pipe(v.string(), v.maxLength(1000))) },
  check: draft => [...emptyText(draft), ...mixedGif(draft)],
  daily_cap: 50,
  settle_ms: 2000,
  worker: { timeout_s: 60, memory_mb: 1024, max_concurrency: 10, images: true },
};

const TEXT_RULES: readonly TextRule[] = [
  // Not Intl.Segmenter: its answer depends on the Unicode version of the runtime.
  { limit: MAX_GRAPHEMES, measure: countGraphemes, unit: 'graphemes' },
  { limit: MAX_BYTES, measure: text => Buffer.byteLength(text), unit: 'UTF-8 bytes' },
];

function shape({ description, auto_truncate }: Draft): string {
  const text = normalizeText(description ?? '').trim();
  return auto_truncate ? truncate(text, { limit: MAX_GRAPHEMES, measure }) : text;
}

/** Whichever of the two limits is nearer, on the scale of graphemes. */
function measure(text: string): number {
  return Math.max(countGraphemes(text), (Buffer.byteLength(text) * MAX_GRAPHEMES) / MAX_BYTES);
}

function emptyText({ post_type, description }: Draft): Fault[] {
  if (post_type !== 'text' || !isBlank(description ?? '')) return [];
  return [{ field: 'description', message: 'A Bluesky text post needs a text' }];
}

/** Bluesky's apps take one GIF or several still pictures, never both. */
function mixedGif({ media_urls }: Draft): Fault[] {
  if (media_urls.length < 2 || !media_urls.some(isGif)) return [];
  return [{ field: 'media_urls', message: 'On Bluesky a GIF must be the only image of its post' }];
}

function isGif(url: string): boolean {
  return URL.canParse(url) && new URL(url).pathname.toLowerCase().endsWith('.gif');
}
