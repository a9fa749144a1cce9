import { utf16Units, type TextRule } from '../../text/measure.ts';
import { cutToFit } from '../../text/truncate.ts';
import { missingText, shapeText } from '../kit/draft.ts';
import { choice, limitedText, ownDescription } from '../kit/fields.ts';
import type { AccountFacts, Draft, RuleViolation, PictureNeeds, PlatformRules } from '../contract/rules.ts';
import { GB, HOURS, MB } from '../kit/sizes.ts';
import { basics } from './basics.ts';
import { MAX_CASHTAGS } from './limits.ts';
import { cashtags, hasForbiddenCharacters, linkSpans, weightedLength } from './text.ts';

const TEXT: TextRule = { limit: 280, measure: weightedLength, unit: 'weighted characters' };
const ALT_TEXT = utf16Units(1000);

/** https://docs.x.com/x-api/media/quickstart/best-practices */
export const PICTURES: PictureNeeds = {
  formats: ['JPG', 'PNG', 'GIF', 'WebP'],
  max_bytes: 5 * MB,
  alpha: 'WebP',
  animation: 'kept',
  animated_limits: {
    max_bytes: 15 * MB,
    max_width: 1280,
    max_height: 1080,
    max_frames: 350,
    max_total_pixels: 300_000_000,
  },
  animation_in_album: 'refused',
};

/** `None` is X's subscription type of accounts without one; it may also be unknown. */
const hasNoSubscription = (account: AccountFacts | null) =>
  account?.attributes['subscription_type'] === 'None';

/** X counts and stores NFC. Links, mentions and hashtags are found by X's own grammar. */
function shape(draft: Draft): string {
  const text = shapeText(
    draft.description?.normalize('NFC') ?? null,
    { ...draft, auto_truncate: false },
    rules,
  );
  return draft.auto_truncate ? cutToFit(text, [TEXT], linkSpans) : text;
}

function validate(draft: Draft, text: string): RuleViolation[] {
  const tags = cashtags(text).length;
  const broken = [
    [
      hasForbiddenCharacters(text),
      'Must not contain the characters U+FFFE, U+FEFF or U+FFFF: X rejects them',
    ],
    [tags > MAX_CASHTAGS, `X accepts at most ${MAX_CASHTAGS} cashtag; this text has ${tags}`],
  ] as const;
  return [
    ...missingText(draft, text),
    ...broken.filter(([applies]) => applies).map(([, message]) => ({ field: 'description', message })),
  ];
}

/** https://docs.x.com/x-api/posts/create-post */
export const rules: PlatformRules = {
  ...basics,
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
      documented: { max_long_side: 1280, max_short_side: 1024 },
      max_frame_rate: 60,
      video_codecs: ['avc'],
      audio_codecs: ['aac'],
    },
  },
  file_variants: [
    {
      name: 'account without a subscription',
      applies: ({ account }) => hasNoSubscription(account),
      kind: 'video',
      limits: { max_bytes: 512 * MB, max_seconds: 140 },
    },
  ],
  pictures: PICTURES,
  text: () => [TEXT],
  title: () => [],
  titled: [],
  comment: null,
  text_fields: { x_alt_text: ALT_TEXT },
  shape,
  options: {
    x_description: ownDescription('X'),
    x_reply_settings: choice(['following', 'mentionedUsers'], 'Who can reply; default: everyone'),
    x_alt_text: limitedText(ALT_TEXT, 'Alt text for every picture of the post'),
  },
  required: [],
  only_for: { x_alt_text: ['image'] },
  fetched: [],
  audience_fields: ['x_reply_settings'],
  combinations: [
    'The text contains at most one cashtag.',
    'The text does not contain the characters U+FFFE, U+FEFF or U+FFFF.',
    'A post with an animated GIF contains no other image.',
  ],
  validate,
  banned_hashtags: false,
};
