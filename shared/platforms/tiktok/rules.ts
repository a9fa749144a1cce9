import { utf16Units } from '../../text/measure.ts';
import { shapeText } from '../kit/draft.ts';
import { choice, choiceOr, flag, maybe, ownMedia } from '../kit/fields.ts';
import type { Draft, Fault, PlatformRules } from '../contract/rules.ts';
import { GB, MINUTES } from '../kit/sizes.ts';

/** What TikTok calls a rune is a UTF-16 unit. */
const TEXT = [utf16Units(2200)];
/** Only photo posts have a title. */
const PHOTO_TITLE = [utf16Units(90)];

/** The values of the present interface, and the legacy words with what they mean. */
const PRIVACY_LEVELS = [
  'PUBLIC_TO_EVERYONE',
  'MUTUAL_FOLLOW_FRIENDS',
  'FOLLOWER_OF_CREATOR',
  'SELF_ONLY',
  'public',
  'friends',
  'private',
] as const;
const LEGACY: ReadonlyMap<string, string> = new Map(
  Object.entries({
    public: 'PUBLIC_TO_EVERYONE',
    friends: 'MUTUAL_FOLLOW_FRIENDS',
    private: 'SELF_ONLY',
  }),
);

/** https://developers.tiktok.com/doc/content-posting-api-reference-direct-post */
export const rules: PlatformRules = {
  platform: 'tiktok',
  display_name: 'TikTok',
  post_types: { image: { max_files: 35 }, video: { max_files: 1 } },
  files: {
    image: { formats: ['JPG', 'PNG', 'WebP'], max_bytes: 4 * GB },
    video: {
      formats: ['MP4', 'MOV', 'WebM'],
      max_bytes: 4 * GB,
      min_seconds: 3,
      max_seconds: 10 * MINUTES,
      min_width: 360,
      max_width: 4096,
      min_height: 360,
      max_height: 4096,
      min_frame_rate: 23,
      max_frame_rate: 60,
      video_codecs: ['avc', 'hevc', 'vp8', 'vp9'],
    },
  },
  pictures: {
    formats: ['JPG', 'WebP'],
    max_bytes: 20_000_000,
    max_long_side: 1920,
    max_short_side: 1080,
    alpha: 'white',
    animation: 'refused',
  },
  text: () => TEXT,
  title: ({ post_type }) => (post_type === 'image' ? PHOTO_TITLE : []),
  titled: ['image'],
  comment: null,
  text_fields: {},
  shape: draft => shapeText(draft.description, draft, rules),
  options: {
    tiktok_privacy_level: choice(
      PRIVACY_LEVELS,
      'Who may see the post; must be among the options that creator-info lists. public, friends and private are legacy',
    ),
    tiktok_allow_comment: flag(false, "Others may comment, unless the account's settings forbid it"),
    tiktok_allow_duet: flag(false, 'Others may make duets'),
    tiktok_allow_stitch: flag(false, 'Others may stitch'),
    tiktok_brand_content_toggle: flag(false, 'Paid partnership; not with SELF_ONLY'),
    tiktok_brand_organic_toggle: flag(false, "Promotes the creator's own business"),
    tiktok_is_aigc: flag(false, 'Made by AI'),
    tiktok_auto_add_music: flag(false, 'TikTok adds music to the pictures'),
    tiktok_post_mode: choiceOr(
      ['DIRECT_POST', 'MEDIA_UPLOAD'],
      'DIRECT_POST',
      "MEDIA_UPLOAD sends to the account's drafts, without metadata",
    ),
    tiktok_disable_comment: maybe('Legacy: use tiktok_allow_comment'),
    tiktok_disable_duet: maybe('Legacy: use tiktok_allow_duet'),
    tiktok_disable_stitch: maybe('Legacy: use tiktok_allow_stitch'),
    tiktok_media_urls: ownMedia('TikTok'),
  },
  required: ['tiktok_privacy_level'],
  only_for: {
    tiktok_allow_duet: ['video'],
    tiktok_allow_stitch: ['video'],
    tiktok_disable_duet: ['video'],
    tiktok_disable_stitch: ['video'],
    tiktok_is_aigc: ['video'],
    tiktok_auto_add_music: ['image'],
  },
  fetched: [],
  combinations: [
    '`tiktok_brand_content_toggle` does not go with `SELF_ONLY`, nor with `private`.',
    'The `tiktok_allow_` fields win over the legacy `tiktok_disable_` ones.',
    '`MEDIA_UPLOAD` of a video carries no text and no settings: these are ignored, with a warning.',
  ],
  check,
  unused,
  daily_cap: 15,
  settle_ms: 60_000,
  worker: { timeout_s: 180, request_s: 120, memory_mb: 1024, max_concurrency: 5 },
};

/** The privacy level in TikTok's words. */
export function privacyLevel({ options }: Pick<Draft, 'options'>): string | null {
  const level = options['tiktok_privacy_level'];
  return typeof level === 'string' ? (LEGACY.get(level) ?? level) : null;
}

function check(draft: Draft): Fault[] {
  const paid = draft.options['tiktok_brand_content_toggle'] === true;
  if (!paid || privacyLevel(draft) !== 'SELF_ONLY') return [];
  return [
    { field: 'tiktok_brand_content_toggle', message: 'A paid partnership cannot be private (SELF_ONLY)' },
  ];
}

/** A draft carries the video alone; pictures keep their texts. The words of the present interface win over legacy ones. */
function unused({ post_type, options }: Draft, sent: ReadonlySet<string>): Fault[] {
  const faults: Fault[] = [];
  for (const what of ['comment', 'duet', 'stitch']) {
    if (sent.has(`tiktok_allow_${what}`) && sent.has(`tiktok_disable_${what}`)) {
      faults.push({ field: `tiktok_disable_${what}`, message: `tiktok_allow_${what} says it already` });
    }
  }
  if (options['tiktok_post_mode'] === 'MEDIA_UPLOAD') {
    const lost = post_type === 'video' ? ['description', 'title'] : [];
    const own = Object.keys(options).filter(
      name => !['tiktok_post_mode', 'tiktok_privacy_level', 'tiktok_media_urls'].includes(name),
    );
    for (const field of [...lost, ...own].filter(name => sent.has(name))) {
      faults.push({ field, message: 'MEDIA_UPLOAD sends a draft without metadata' });
    }
  }
  return faults;
}
