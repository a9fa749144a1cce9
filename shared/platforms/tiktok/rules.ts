import { utf16Units } from '../../text/measure.ts';
import { shapeText } from '../kit/draft.ts';
import { choice, choiceOr, flag, optionalFlag, ownDescription, ownMedia } from '../kit/fields.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Draft, IgnoredField, PlatformRules, RuleViolation } from '../contract/rules.ts';
import { GB, MINUTES } from '../kit/sizes.ts';
import { basics } from './basics.ts';

/** TikTok documents "runes" in UTF-16. */
const TEXT = [utf16Units(2200)];
/** Video posts have no title of their own. */
const PHOTO_TITLE = [utf16Units(90)];

/** Current values, then legacy values. */
const PRIVACY_LEVELS = [
  'PUBLIC_TO_EVERYONE',
  'MUTUAL_FOLLOW_FRIENDS',
  'FOLLOWER_OF_CREATOR',
  'SELF_ONLY',
  'public',
  'friends',
  'private',
] as const;
const LEGACY_LEVELS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    public: 'PUBLIC_TO_EVERYONE',
    friends: 'MUTUAL_FOLLOW_FRIENDS',
    private: 'SELF_ONLY',
  }),
);

/** https://developers.tiktok.com/doc/content-posting-api-reference-direct-post */
export const rules: PlatformRules = {
  ...basics,
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
    tiktok_description: ownDescription('TikTok'),
    tiktok_privacy_level: choice(
      PRIVACY_LEVELS,
      'Who can see the post: one of the privacy_level_options of creator-info. public, friends and private are legacy values',
    ),
    tiktok_allow_comment: flag(false, "Allows comments, unless the account's settings forbid them"),
    tiktok_allow_duet: flag(false, 'Allows duets'),
    tiktok_allow_stitch: flag(false, 'Allows stitches'),
    tiktok_brand_content_toggle: flag(false, 'Discloses a paid partnership; not allowed with SELF_ONLY'),
    tiktok_brand_organic_toggle: flag(false, "Discloses that the post promotes the creator's own business"),
    tiktok_is_aigc: flag(false, 'Labels the video as AI-generated'),
    tiktok_auto_add_music: flag(false, 'Adds music chosen by TikTok to a photo post'),
    tiktok_post_mode: choiceOr(
      ['DIRECT_POST', 'MEDIA_UPLOAD'],
      'DIRECT_POST',
      "MEDIA_UPLOAD sends the post to the creator's inbox as a draft, without settings",
    ),
    tiktok_disable_comment: optionalFlag('Legacy: use tiktok_allow_comment'),
    tiktok_disable_duet: optionalFlag('Legacy: use tiktok_allow_duet'),
    tiktok_disable_stitch: optionalFlag('Legacy: use tiktok_allow_stitch'),
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
  current,
  audience_fields: ['tiktok_privacy_level', 'tiktok_post_mode'],
  combinations: [
    '`tiktok_brand_content_toggle` is not allowed with the privacy levels `SELF_ONLY` and `private`.',
    'While TikTok has not audited the app, `tiktok_privacy_level` must be `SELF_ONLY`.',
    'The `tiktok_allow_` fields override the legacy `tiktok_disable_` fields.',
    'With `MEDIA_UPLOAD`, the text of a video and all settings are ignored with a warning.',
  ],
  validate,
  ignored,
  banned_hashtags: false,
};

/** Returns the privacy level with legacy values translated; null where there is none. */
export function privacyLevel({ options }: Pick<Draft, 'options'>): string | null {
  const level = options['tiktok_privacy_level'];
  return typeof level === 'string' ? (LEGACY_LEVELS.get(level) ?? level) : null;
}

const INTERACTIONS = ['comment', 'duet', 'stitch'];

/** A legacy field counts where the current one of the same name was not sent. */
function current(sent: JsonObject): JsonObject {
  const fields = { ...sent };
  for (const what of INTERACTIONS) {
    const disable = sent[`tiktok_disable_${what}`];
    if (typeof disable === 'boolean') fields[`tiktok_allow_${what}`] ??= !disable;
  }
  return fields;
}

function validate(draft: Draft): RuleViolation[] {
  const isPrivate = privacyLevel(draft) === 'SELF_ONLY';
  const isPaid = draft.options['tiktok_brand_content_toggle'] === true;
  const isUnaudited = draft.account?.attributes['audited'] === 'false';
  const violations: RuleViolation[] = [];
  if (isPaid && isPrivate) {
    violations.push({
      field: 'tiktok_brand_content_toggle',
      message: 'Must be false with tiktok_privacy_level SELF_ONLY: a paid partnership cannot be private',
    });
  }
  if (isUnaudited && !isPrivate && draft.options['tiktok_post_mode'] !== 'MEDIA_UPLOAD') {
    violations.push({
      field: 'tiktok_privacy_level',
      message:
        'Must be SELF_ONLY while TikTok has not audited the app, and the account itself must be set to private',
    });
  }
  return violations;
}

/** Current fields override legacy ones. An inbox draft has no settings; a video draft has no text either. */
function ignored({ post_type, options }: Draft, sent: ReadonlySet<string>): IgnoredField[] {
  const fields: IgnoredField[] = [];
  for (const what of INTERACTIONS) {
    if (sent.has(`tiktok_allow_${what}`) && sent.has(`tiktok_disable_${what}`)) {
      fields.push({
        field: `tiktok_disable_${what}`,
        message: `Is overridden by tiktok_allow_${what} and was ignored`,
      });
    }
  }
  if (options['tiktok_post_mode'] === 'MEDIA_UPLOAD') {
    const texts = post_type === 'video' ? ['description', 'tiktok_description', 'title'] : [];
    const own = Object.keys(options).filter(
      name => !['tiktok_post_mode', 'tiktok_privacy_level', 'tiktok_media_urls'].includes(name),
    );
    for (const field of [...texts, ...own].filter(name => sent.has(name))) {
      fields.push({ field, message: 'Is not used with tiktok_post_mode MEDIA_UPLOAD and was ignored' });
    }
  }
  return fields;
}
