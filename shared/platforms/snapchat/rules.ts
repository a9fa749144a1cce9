import * as v from 'valibot';
import { characters } from '../../text/measure.ts';
import { shapeText } from '../kit/draft.ts';
import { choiceOr, flag, limited, ownMedia } from '../kit/fields.ts';
import type { Draft, Fault, PlatformRules } from '../contract/rules.ts';
import { GB } from '../kit/sizes.ts';

const TEXT = [characters(160)];
const TITLE = [characters(45)];
const SNAP_DESCRIPTION = characters(160);
const SAVED_STORY_TITLE = characters(45);

const locale = v.pipe(
  v.string('Must be a string'),
  v.trim(),
  v.check(text => readLocale(text) !== null, 'Must be a locale such as en_US'),
  v.description('Language and region of a Spotlight, such as en_US'),
);

/** Snap's Public Profile API. */
export const rules: PlatformRules = {
  platform: 'snapchat',
  display_name: 'Snapchat',
  post_types: { image: { max_files: 1 }, video: { max_files: 1 } },
  files: {
    image: { formats: ['JPG', 'PNG'], max_bytes: GB },
    video: {
      formats: ['MP4'],
      max_bytes: GB,
      min_seconds: 5,
      max_seconds: 300,
      video_codecs: ['avc', 'hevc'],
    },
  },
  pictures: { formats: ['JPG', 'PNG'], max_bytes: 20_000_000, alpha: 'white', animation: 'refused' },
  // A description for Snapchat alone is the text, and is checked as a field.
  text: ({ options }) => (options['snapchat_description'] === undefined ? TEXT : []),
  title: () => TITLE,
  titled: [],
  comment: null,
  text_fields: {
    snapchat_description: SNAP_DESCRIPTION,
    snapchat_saved_story_title: SAVED_STORY_TITLE,
  },
  shape: draft => {
    const own = draft.options['snapchat_description'];
    return shapeText(typeof own === 'string' ? own : draft.description, draft, rules);
  },
  options: {
    snapchat_post_type: choiceOr(
      ['story', 'spotlight', 'saved_story'],
      'story',
      'A story lasts 24 hours, a saved story stays; only videos go to Spotlight',
    ),
    snapchat_description: limited(SNAP_DESCRIPTION, 'Text for Snapchat alone'),
    snapchat_saved_story_title: limited(SAVED_STORY_TITLE, 'Title of a saved story; required for one'),
    snapchat_locale: v.optional(locale),
    snapchat_skip_save_to_profile: flag(false, 'A Spotlight is not kept on the profile'),
    snapchat_media_urls: ownMedia('Snapchat'),
  },
  required: [],
  only_for: {},
  fetched: [],
  combinations: [
    '`saved_story` needs `snapchat_saved_story_title`.',
    '`spotlight` takes videos only.',
    '`snapchat_description` stands for `description`, which may then be longer.',
  ],
  check,
  unused,
  daily_cap: 25,
  settle_ms: 60_000,
  worker: { timeout_s: 180, request_s: 120, memory_mb: 1024, max_concurrency: 5 },
};

/** Snap's spelling of a locale; a language alone gets its usual region. Null for what is none. */
export function readLocale(text: string): string | null {
  if (!/^[a-z]{2}(?:[-_][a-z]{2})?$/i.test(text)) return null;
  const { language, region } = new Intl.Locale(text.replace('_', '-')).maximize();
  return region !== undefined && /^[A-Z]{2}$/.test(region) ? `${language}_${region}` : null;
}

function check({ post_type, options }: Draft): Fault[] {
  const faults: Fault[] = [];
  const title = options['snapchat_saved_story_title'];
  const untitled = typeof title !== 'string' || title.trim() === '';
  if (options['snapchat_post_type'] === 'saved_story' && untitled) {
    faults.push({ field: 'snapchat_saved_story_title', message: 'Is required for a saved story' });
  }
  if (options['snapchat_post_type'] === 'spotlight' && post_type === 'image') {
    faults.push({ field: 'snapchat_post_type', message: 'Spotlight takes videos only' });
  }
  return faults;
}

/** The kind of snap that each field belongs to. */
const KIND_OF: Readonly<Record<string, string>> = {
  snapchat_description: 'spotlight',
  snapchat_locale: 'spotlight',
  snapchat_skip_save_to_profile: 'spotlight',
  snapchat_saved_story_title: 'saved_story',
};

function unused({ options }: Draft, sent: ReadonlySet<string>): Fault[] {
  return Object.entries(KIND_OF)
    .filter(([name, kind]) => sent.has(name) && options['snapchat_post_type'] !== kind)
    .map(([field, kind]) => ({ field, message: `Says something with snapchat_post_type ${kind} only` }));
}
