import { characters } from '../../text/measure.ts';
import { shapeText } from '../kit/draft.ts';
import { choiceOr, flag, limited, ownMedia, url, word } from '../kit/fields.ts';
import type { Draft, Fault, PlatformRules } from '../contract/rules.ts';
import { MB, MINUTES } from '../kit/sizes.ts';

const TEXT = [characters(2200)];
const ALT_TEXT = characters(1000);
const MAX_HASHTAGS = 30;
const MAX_MENTIONS = 20;
const MAX_COLLABORATORS = 3;
const USERNAME = /^[a-z0-9._]{1,30}$/i;

/** https://developers.facebook.com/docs/instagram-platform/content-publishing */
export const rules: PlatformRules = {
  platform: 'instagram',
  display_name: 'Instagram',
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
    instagram_media_type: choiceOr(['REELS', 'STORIES'], 'REELS', 'What a video becomes'),
    instagram_share_to_feed: flag(true, 'A Reel is shown in the feed too'),
    instagram_collaborators: word('Usernames, separated by commas; at most 3'),
    instagram_cover_url: url('Cover of a Reel'),
    instagram_user_tags: word('Usernames that the pictures show, separated by commas'),
    instagram_location_id: word('Id of a page with a place'),
    instagram_alt_text: limited(ALT_TEXT, 'What the pictures show'),
    instagram_media_urls: ownMedia('Instagram'),
  },
  required: [],
  only_for: {
    instagram_media_type: ['video'],
    instagram_share_to_feed: ['video'],
    instagram_cover_url: ['video'],
    instagram_user_tags: ['image'],
    instagram_alt_text: ['image'],
  },
  fetched: ['instagram_cover_url'],
  combinations: [
    'At most 30 hashtags and 20 mentions in a text.',
    'At most 3 collaborators and 20 tagged users, by usernames separated by commas.',
    'A story shows the video alone: its text and first comment are ignored, with a warning.',
  ],
  check: draft => [
    ...captionFaults(draft),
    ...nameFaults(draft, 'instagram_collaborators', MAX_COLLABORATORS),
    ...nameFaults(draft, 'instagram_user_tags', MAX_MENTIONS),
  ],
  unused: storyFaults,
  daily_cap: 50,
  settle_ms: 30_000,
  worker: { timeout_s: 60, request_s: 30, memory_mb: 1024, max_concurrency: 10 },
};

/** True for a video that goes into the account's story. */
export function isStory({ post_type, options }: Pick<Draft, 'post_type' | 'options'>): boolean {
  return post_type === 'video' && options['instagram_media_type'] === 'STORIES';
}

/** The usernames of a list separated by commas, without `@`. */
export function usernames(list: unknown): string[] {
  if (typeof list !== 'string') return [];
  return list
    .split(',')
    .map(name => name.trim().replace(/^@/, ''))
    .filter(Boolean);
}

function captionFaults(draft: Draft): Fault[] {
  const text = rules.shape(draft);
  const counts = [
    ['hashtags', text.match(/[#＃](?=[\p{L}\p{N}_]*[\p{L}_])[\p{L}\p{M}\p{N}_]+/gu), MAX_HASHTAGS],
    ['mentions', text.match(/(?<![\p{L}\p{N}_.])@[a-z0-9._]+/giu), MAX_MENTIONS],
  ] as const;
  return counts.flatMap(([what, found, most]) =>
    found && found.length > most
      ? [
          {
            field: 'description',
            message: `Instagram takes at most ${most} ${what}, the text has ${found.length}`,
          },
        ]
      : [],
  );
}

function nameFaults({ options }: Draft, field: string, most: number): Fault[] {
  const names = usernames(options[field]);
  const faults: Fault[] = [];
  if (names.length > most) faults.push({ field, message: `Instagram takes at most ${most} usernames here` });
  if (names.some(name => !USERNAME.test(name))) {
    faults.push({
      field,
      message: 'Must be usernames of letters, digits, full stops and underscores, separated by commas',
    });
  }
  return faults;
}

/** A story shows the video alone. */
const NOT_IN_STORIES = [
  'description',
  'first_comment',
  'instagram_share_to_feed',
  'instagram_collaborators',
  'instagram_cover_url',
  'instagram_location_id',
];

function storyFaults(draft: Draft, sent: ReadonlySet<string>): Fault[] {
  if (!isStory(draft)) return [];
  return NOT_IN_STORIES.filter(name => sent.has(name)).map(field => ({
    field,
    message: 'An Instagram story shows the video alone',
  }));
}
