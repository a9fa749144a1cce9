import { utf16Units, type TextRule } from '../../text/measure.ts';
import { cutToFit } from '../../text/truncate.ts';
import { shapeText } from '../kit/draft.ts';
import { choice, limited } from '../kit/fields.ts';
import { mixedGif } from '../kit/gif.ts';
import type { Draft, Fault, PictureNeeds, PlatformRules } from '../contract/rules.ts';
import { GB, HOURS, MB } from '../kit/sizes.ts';
import { cashtags, hasForbiddenCharacters, linkSpans, weightedLength } from './text.ts';

const TEXT: TextRule = { limit: 280, measure: weightedLength, unit: 'weighted characters' };
const ALT_TEXT = utf16Units(1000);
/** More than one cashtag is refused for self-serve apps. */
const MAX_CASHTAGS = 1;

/** https://docs.x.com/x-api/media/quickstart/best-practices */
export const PICTURES: PictureNeeds = {
  formats: ['JPG', 'PNG', 'GIF', 'WebP'],
  max_bytes: 5 * MB,
  alpha: 'WebP',
  animation: 'kept',
  moving: { max_bytes: 15 * MB, max_width: 1280, max_height: 1080 },
  moves_alone: true,
};

/** X counts and keeps the composed form; what a link is, X's own grammar tells. */
function shape(draft: Draft): string {
  const text = shapeText(
    draft.description?.normalize('NFC') ?? null,
    { ...draft, auto_truncate: false },
    rules,
  );
  return draft.auto_truncate ? cutToFit(text, [TEXT], linkSpans) : text;
}

function check(draft: Draft): Fault[] {
  const text = shape(draft);
  const tags = new Set(cashtags(text));
  const broken = [
    [draft.post_type === 'text' && text === '', 'A text post on X needs a text'],
    [hasForbiddenCharacters(text), 'X refuses the characters U+FFFE, U+FEFF and U+FFFF'],
    [tags.size > MAX_CASHTAGS, `X allows ${MAX_CASHTAGS} cashtag in a post, the text has ${tags.size}`],
  ] as const;
  return [
    ...broken.filter(([applies]) => applies).map(([, message]) => ({ field: 'description', message })),
    ...mixedGif('X', draft),
  ];
}

/** https://docs.x.com/x-api/posts/create-post */
export const rules: PlatformRules = {
  platform: 'x',
  display_name: 'X',
  post_types: { text: { max_files: 0 }, image: { max_files: 4 }, video: { max_files: 1 } },
  files: {
    image: { formats: ['JPG', 'PNG', 'GIF', 'WebP'], max_bytes: GB },
    video: {
      formats: ['MP4', 'MOV'],
      max_bytes: GB,
      min_seconds: 0.5,
      max_seconds: 4 * HOURS,
      min_width: 32,
      min_height: 32,
      min_aspect: 1 / 3,
      max_aspect: 3,
      max_frame_rate: 60,
    },
  },
  pictures: PICTURES,
  text: () => [TEXT],
  title: () => [],
  titled: [],
  comment: null,
  text_fields: { x_alt_text: ALT_TEXT },
  shape,
  options: {
    x_reply_settings: choice(['following', 'mentionedUsers'], 'Who may reply; everyone where it is not sent'),
    x_alt_text: limited(ALT_TEXT, 'What the pictures show; the same for all of them'),
  },
  required: [],
  only_for: { x_alt_text: ['image'] },
  fetched: [],
  combinations: [
    'At most one cashtag in a text.',
    'The characters U+FFFE, U+FEFF and U+FFFF are refused.',
    'A GIF is the only image of its post.',
  ],
  check,
  daily_cap: 50,
  settle_ms: 30_000,
  worker: { timeout_s: 60, request_s: 30, memory_mb: 1024, max_concurrency: 10 },
};
