import * as v from 'valibot';
import { characters } from '../../text/measure.ts';
import { shapeText } from '../kit/draft.ts';
import { choiceOr, flag, limitedText, line, ownDescription, ownMedia, url } from '../kit/fields.ts';
import type { Draft, IgnoredField, PlatformRules, RuleViolation } from '../contract/rules.ts';
import { MB, MINUTES } from '../kit/sizes.ts';
import { basics } from './basics.ts';
import { MAX_MENTIONS } from './limits.ts';

const TEXT = [characters(2200)];
const ALT_TEXT = characters(1000);
const MAX_HASHTAGS = 30;
/** Announced for the app in December 2025; the documentation of the API does not name it. */
const ANNOUNCED_HASHTAGS = 5;
const MAX_COLLABORATORS = 3;
const USERNAME = /^[a-z0-9._]{1,30}$/i;

const thumbOffset = v.pipe(
  v.number('Must be a whole number of milliseconds'),
  v.integer('Must be a whole number of milliseconds'),
  v.minValue(0, 'Must be at least 0'),
  v.description('Millisecond of a Reel that its cover shows, where it has no instagram_cover_url'),
);

/** https://developers.facebook.com/docs/instagram-platform/content-publishing */
export const rules: PlatformRules = {
  ...basics,
  post_types: { image: { max_files: 10 }, video: { max_files: 1 } },
  files: {
    image: { formats: ['JPG', 'PNG'], max_bytes: 300 * MB },
    video: {
      formats: ['MP4', 'MOV'],
      max_bytes: 300 * MB,
      min_seconds: 3,
      max_seconds: 15 * MINUTES,
      max_width: 1920,
      min_aspect: 0.01,
      max_aspect: 10,
      min_frame_rate: 23,
      max_frame_rate: 60,
      video_codecs: ['avc', 'hevc'],
      audio_codecs: ['aac'],
    },
  },
  pictures: {
    formats: ['JPG'],
    max_bytes: 8_000_000,
    min_aspect: 0.8,
    max_aspect: 1.91,
    alpha: 'white',
    animation: 'refused',
  },
  covers: {
    instagram_cover_url: {
      limits: { formats: ['JPG', 'PNG', 'GIF', 'WebP'], max_bytes: 300 * MB },
      needs: { formats: ['JPG'], max_bytes: 8_000_000, alpha: 'white', animation: 'still' },
    },
  },
  file_variants: [
    {
      name: 'Stories',
      applies: isStory,
      kind: 'video',
      limits: { max_bytes: 100 * MB, max_seconds: 60, min_aspect: 0.1 },
    },
  ],
  text: () => TEXT,
  title: () => [],
  titled: [],
  comment: [characters(2196)],
  text_fields: { instagram_alt_text: ALT_TEXT },
  shape: draft => shapeText(draft.description, draft, rules),
  options: {
    instagram_description: ownDescription('Instagram'),
    instagram_media_type: choiceOr(
      ['REELS', 'STORIES'],
      'REELS',
      'Publishes a video as a Reel or as a story',
    ),
    instagram_share_to_feed: flag(true, 'Shows a Reel in the feed too'),
    instagram_collaborators: line('Usernames of up to 3 collaborators, separated by commas'),
    instagram_cover_url: url('Cover image of a Reel'),
    instagram_thumb_offset: v.optional(thumbOffset),
    instagram_user_tags: line('Usernames tagged in the first image, separated by commas'),
    instagram_location_id: line('Id of a Facebook Page with a location'),
    instagram_alt_text: limitedText(ALT_TEXT, 'Alt text of the images'),
    instagram_media_urls: ownMedia('Instagram'),
  },
  required: [],
  only_for: {
    instagram_media_type: ['video'],
    instagram_share_to_feed: ['video'],
    instagram_cover_url: ['video'],
    instagram_thumb_offset: ['video'],
    instagram_user_tags: ['image'],
    instagram_alt_text: ['image'],
  },
  fetched: ['instagram_cover_url'],
  audience_fields: ['instagram_media_type', 'instagram_share_to_feed'],
  combinations: [
    'The text contains at most 30 hashtags and 20 mentions.',
    'At most 3 collaborators and 20 tagged users, as usernames separated by commas.',
    'A story shows the video only: its text and first comment are ignored with a warning.',
  ],
  validate: (draft, text) => [
    ...captionViolations(text),
    ...usernameViolations(draft, 'instagram_collaborators', MAX_COLLABORATORS),
    ...usernameViolations(draft, 'instagram_user_tags', MAX_MENTIONS),
  ],
  ignored: ignoredByStories,
  doubts: hashtagDoubts,
  banned_hashtags: true,
};

/** True for a video that is published as a story. */
export function isStory({ post_type, options }: Pick<Draft, 'post_type' | 'options'>): boolean {
  return post_type === 'video' && options['instagram_media_type'] === 'STORIES';
}

/** Returns the usernames of a comma-separated list, without `@`. */
export function usernames(list: unknown): string[] {
  if (typeof list !== 'string') return [];
  return list
    .split(',')
    .map(name => name.trim().replace(/^@/, ''))
    .filter(Boolean);
}

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
const hashtagsIn = (text: string) => countOf(text, /[#＃](?=[\p{L}\p{N}_]*[\p{L}_])[\p{L}\p{M}\p{N}_]+/gu);

function captionViolations(text: string): RuleViolation[] {
  const counts = [
    ['hashtags', hashtagsIn(text), MAX_HASHTAGS],
    ['mentions', countOf(text, /(?<![\p{L}\p{N}_.])@[a-z0-9._]+/giu), MAX_MENTIONS],
  ] as const;
  return counts
    .filter(([, found, limit]) => found > limit)
    .map(([what, found, limit]) => ({
      field: 'description',
      message: `Instagram accepts at most ${limit} ${what}; this text has ${found}`,
    }));
}

function hashtagDoubts(text: string): string[] {
  const found = hashtagsIn(text);
  if (found <= ANNOUNCED_HASHTAGS) return [];
  return [
    `Instagram has announced a limit of ${ANNOUNCED_HASHTAGS} hashtags, and this text has ${found}: it may refuse the post. Use at most ${ANNOUNCED_HASHTAGS}`,
  ];
}

function usernameViolations({ options }: Draft, field: string, limit: number): RuleViolation[] {
  const names = usernames(options[field]);
  const violations: RuleViolation[] = [];
  if (names.length > limit) {
    violations.push({ field, message: `Must contain at most ${limit} usernames; it has ${names.length}` });
  }
  if (names.some(name => !USERNAME.test(name))) {
    violations.push({
      field,
      message:
        'Must be usernames separated by commas; a username has letters, digits, periods and underscores',
    });
  }
  return violations;
}

/** Fields that have no effect on a story, which shows the video only. */
const NOT_IN_STORIES = [
  'description',
  'instagram_description',
  'first_comment',
  'instagram_share_to_feed',
  'instagram_collaborators',
  'instagram_cover_url',
  'instagram_thumb_offset',
  'instagram_location_id',
];

function ignoredByStories(draft: Draft, sent: ReadonlySet<string>): IgnoredField[] {
  if (!isStory(draft)) return [];
  return NOT_IN_STORIES.filter(name => sent.has(name)).map(field => ({
    field,
    message: 'Is not used for an Instagram story and was ignored',
  }));
}
