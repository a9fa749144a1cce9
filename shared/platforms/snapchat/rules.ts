import * as v from 'valibot';
import { characters } from '../../text/measure.ts';
import { shapeText } from '../kit/draft.ts';
import { choiceOr, flag, limitedText, ownDescription, ownMedia } from '../kit/fields.ts';
import type { Draft, IgnoredField, PictureNeeds, PlatformRules, RuleViolation } from '../contract/rules.ts';
import { GB } from '../kit/sizes.ts';
import { basics } from './basics.ts';

const TEXT = [characters(160)];
const TITLE = [characters(45)];
const SAVED_STORY_TITLE = characters(45);

const locale = v.pipe(
  v.string('Must be a string'),
  v.trim(),
  v.check(text => readLocale(text) !== null, 'Must be a locale such as en_US'),
  v.description('Language and region of a Spotlight video; default: en_US'),
);

export const DEFAULT_LOCALE = 'en_US';

export const PICTURES: PictureNeeds = {
  formats: ['JPG', 'PNG'],
  max_bytes: 20_000_000,
  alpha: 'white',
  animation: 'refused',
};

/** Snap's Public Profile API. */
export const rules: PlatformRules = {
  ...basics,
  post_types: { image: { max_files: 1 }, video: { max_files: 1 } },
  files: {
    image: { formats: ['JPG', 'PNG'], max_bytes: GB },
    video: {
      formats: ['MP4'],
      max_bytes: GB,
      min_seconds: 5,
      max_seconds: 300,
      documented: { max_seconds: 60, min_long_side: 960, min_short_side: 540 },
      video_codecs: ['avc', 'hevc'],
    },
  },
  pictures: PICTURES,
  text: () => TEXT,
  title: () => TITLE,
  titled: [],
  comment: null,
  text_fields: {
    snapchat_saved_story_title: SAVED_STORY_TITLE,
  },
  shape: draft => shapeText(draft.description, draft, rules),
  options: {
    snapchat_post_type: choiceOr(
      ['story', 'spotlight', 'saved_story'],
      'story',
      'A story lasts 24 hours, a saved story stays on the profile; Spotlight accepts videos only',
    ),
    snapchat_description: ownDescription('Snapchat'),
    snapchat_saved_story_title: limitedText(
      SAVED_STORY_TITLE,
      'Title of a saved story; required with snapchat_post_type saved_story',
    ),
    snapchat_locale: v.optional(locale),
    snapchat_skip_save_to_profile: flag(false, 'Does not keep a Spotlight video on the profile'),
    snapchat_media_urls: ownMedia('Snapchat'),
  },
  required: [],
  only_for: {},
  fetched: [],
  audience_fields: ['snapchat_post_type'],
  combinations: [
    'With `snapchat_post_type` `saved_story`, `snapchat_saved_story_title` is required.',
    '`spotlight` accepts videos only.',
  ],
  validate,
  ignored,
  banned_hashtags: false,
};

/** Returns a locale in Snap's spelling, `en_US`; a language alone gets its most likely region. Null where it is not a locale. */
export function readLocale(text: string): string | null {
  if (!/^[a-z]{2}(?:[-_][a-z]{2})?$/i.test(text)) return null;
  const { language, region } = new Intl.Locale(text.replace('_', '-')).maximize();
  return region !== undefined && /^[A-Z]{2}$/.test(region) ? `${language}_${region}` : null;
}

function validate({ post_type, options }: Draft): RuleViolation[] {
  const violations: RuleViolation[] = [];
  const title = options['snapchat_saved_story_title'];
  const untitled = typeof title !== 'string' || title.trim() === '';
  if (options['snapchat_post_type'] === 'saved_story' && untitled) {
    violations.push({
      field: 'snapchat_saved_story_title',
      message: 'Is required with snapchat_post_type saved_story',
    });
  }
  if (options['snapchat_post_type'] === 'spotlight' && post_type === 'image') {
    violations.push({
      field: 'snapchat_post_type',
      message: 'spotlight accepts videos only; this is an image post',
    });
  }
  return violations;
}

/** The only value of `snapchat_post_type` with which a field has an effect. */
const ONLY_WITH: Readonly<Record<string, string>> = {
  snapchat_description: 'spotlight',
  snapchat_locale: 'spotlight',
  snapchat_skip_save_to_profile: 'spotlight',
  snapchat_saved_story_title: 'saved_story',
};

function ignored({ options }: Draft, sent: ReadonlySet<string>): IgnoredField[] {
  return Object.entries(ONLY_WITH)
    .filter(([name, kind]) => sent.has(name) && options['snapchat_post_type'] !== kind)
    .map(([field, kind]) => ({
      field,
      message: `Is used with snapchat_post_type ${kind} only and was ignored`,
    }));
}
