import * as v from 'valibot';
import { characters, utf16Units, utf8Bytes } from '../../text/measure.ts';
import { normalizeText } from '../../text/normalize.ts';
import { cutToFit, saysNothing } from '../../text/truncate.ts';
import { parseInstant } from '../../time/instant.ts';
import { oneLine, shapeText } from '../kit/draft.ts';
import {
  choiceOr,
  countries,
  flag,
  language,
  languageOr,
  ownMedia,
  url,
  word,
  wordsOr,
} from '../kit/fields.ts';
import type { Draft, Fault, PlatformRules } from '../contract/rules.ts';
import { GB, HOURS, MB } from '../kit/sizes.ts';

/** YouTube itself measures a description in bytes. */
const TEXT = [characters(5000), utf8Bytes(5000)];
/** YouTube does not say what a title's character is; UTF-16 units are never fewer. */
const TITLE = [utf16Units(100)];
const MAX_TAGS = 500;

/** Film, Music, Gaming, People and Blogs, Education, Science and Tech. */
const CATEGORIES = ['1', '10', '20', '22', '27', '28'] as const;

const moment = v.pipe(
  v.string('Must be a string'),
  v.check(text => parseInstant(text) !== null, 'Must be an ISO 8601 date-time such as 2026-12-01T10:00:00Z'),
  v.description('When the video was recorded'),
);

/** https://developers.google.com/youtube/v3/docs/videos */
export const rules: PlatformRules = {
  platform: 'youtube',
  display_name: 'YouTube',
  post_types: { video: { max_files: 1 } },
  files: {
    video: {
      formats: ['MP4', 'MOV', 'AVI', 'WMV', 'FLV', 'WebM'],
      max_bytes: 256 * GB,
      max_seconds: 12 * HOURS,
    },
  },
  pictures: null,
  covers: {
    youtube_thumbnail_url: {
      limits: { formats: ['JPG', 'PNG', 'GIF', 'BMP'], max_bytes: 2 * MB },
      needs: { formats: ['JPG', 'PNG', 'BMP'], max_bytes: 2 * MB, alpha: 'white', animation: 'still' },
    },
  },
  file_variants: [
    { name: 'Shorts', applies: isShort, kind: 'video', limits: { max_seconds: 60, max_aspect: 1 } },
  ],
  text: () => TEXT,
  title: () => TITLE,
  titled: ['video'],
  comment: [],
  text_fields: {},
  shape: draft => shapeText(draft.description, draft, rules),
  shape_title: titleOf,
  options: {
    youtube_type: choiceOr(['video', 'shorts'], 'video', 'Shorts are upright and shorter than a minute'),
    youtube_category_id: choiceOr(CATEGORIES, '22', 'Category of the video'),
    youtube_tags: wordsOr([], 'At most 500 characters in all, as YouTube counts them'),
    youtube_privacy_status: choiceOr(['public', 'unlisted', 'private'], 'public', 'Who may see the video'),
    youtube_thumbnail_url: url('JPG, PNG, GIF or BMP of at most 2 MB; not for Shorts'),
    youtube_self_declared_made_for_kids: flag(false, 'The video is made for children'),
    youtube_contains_synthetic_media: flag(false, 'The video was made or changed by AI'),
    youtube_has_paid_product_placement: flag(false, 'The video contains paid sponsorship'),
    youtube_license: choiceOr(['youtube', 'creativeCommon'], 'youtube', 'Licence of the video'),
    youtube_embeddable: flag(true, 'Other pages may embed the video'),
    youtube_public_stats_viewable: flag(true, 'Everybody may see the statistics'),
    youtube_default_language: language('Language of title and description'),
    youtube_default_audio_language: language('Language that is spoken'),
    youtube_allowed_countries: countries('The only countries that may see the video'),
    youtube_blocked_countries: countries('Countries that may not see the video'),
    youtube_recording_date: v.optional(moment),
    youtube_caption_url: url('SRT file with captions; costs 400 quota units'),
    youtube_caption_language: languageOr('en', 'Language of the captions'),
    youtube_playlist_id: word('Playlist to add the video to; costs 50 quota units'),
    youtube_media_urls: ownMedia('YouTube'),
  },
  required: [],
  only_for: {},
  fetched: ['youtube_thumbnail_url', 'youtube_caption_url'],
  combinations: [
    'Without `title` the first line of `description` is the title, cut at 100.',
    'Title, description and tags have no `<` and no `>`.',
    'A Short (`youtube_type`, or `#Shorts` in the title) takes no `youtube_thumbnail_url`.',
    'Tags have at most 500 characters with the commas between them and quotation marks around those with a space.',
    'Countries are allowed or blocked, not both.',
  ],
  check: draft => [
    ...titleFaults(draft),
    ...markupFaults(draft),
    ...shortsFaults(draft),
    ...tagFaults(draft),
    ...countryFaults(draft),
  ],
  unused: ({ options }, sent) => {
    const faults: Fault[] = [];
    if (sent.has('youtube_caption_language') && options['youtube_caption_url'] === undefined) {
      faults.push({ field: 'youtube_caption_language', message: 'Says nothing without youtube_caption_url' });
    }
    if (sent.has('first_comment') && options['youtube_self_declared_made_for_kids'] === true) {
      faults.push({ field: 'first_comment', message: 'A video that is made for kids takes no comments' });
    }
    return faults;
  },
  daily_cap: 10,
  settle_ms: 60_000,
  worker: { timeout_s: 300, request_s: 120, memory_mb: 1024, max_concurrency: 5 },
};

/**
 * The title, else the first line of the description, cut to what a title may be. A line that is one long link is cut
 * within it: nobody can click a title.
 */
function titleOf(draft: Pick<Draft, 'title' | 'description' | 'auto_truncate'>): string | null {
  const own = oneLine(draft.title);
  if (own !== null) return draft.auto_truncate ? cutToFit(own, TITLE) : own;
  const first = firstLine(draft.description);
  if (first === null) return null;
  const cut = cutToFit(first, TITLE);
  return saysNothing(cut, first) ? cutToFit(first, TITLE, () => []) : cut;
}

function firstLine(text: string | null): string | null {
  const lines = normalizeText(text ?? '').split('\n');
  return lines.map(oneLine).find(line => line !== null) ?? null;
}

/** True for a Short: it is declared one, or its title says so. */
export function isShort(draft: Draft): boolean {
  return (
    draft.options['youtube_type'] === 'shorts' || /#shorts(?![\p{L}\p{N}_])/iu.test(titleOf(draft) ?? '')
  );
}

function titleFaults(draft: Draft): Fault[] {
  if (titleOf(draft) !== null) return [];
  return [{ field: 'title', message: 'A YouTube video needs a title, or a description to take it from' }];
}

/** YouTube refuses both signs. */
const MARKUP = /[<>]/;

function markupFaults({ title, description }: Draft): Fault[] {
  return Object.entries({ title, description })
    .filter(([, text]) => text !== null && MARKUP.test(text))
    .map(([field]) => ({ field, message: 'YouTube takes no < and no >' }));
}

function shortsFaults(draft: Draft): Fault[] {
  if (draft.options['youtube_thumbnail_url'] === undefined || !isShort(draft)) return [];
  return [{ field: 'youtube_thumbnail_url', message: 'A Short takes no thumbnail' }];
}

/** The tags as they are sent: without `#`, none empty, none twice; as many as fit where the post may be cut. */
export function tagsOf(draft: Pick<Draft, 'options' | 'auto_truncate'>): string[] {
  const given = v.parse(v.fallback(v.array(v.string()), []), draft.options['youtube_tags']);
  const tags = [...new Set(given.map(tag => normalizeText(tag).replace(/^#/, '').trim()))].filter(Boolean);
  while (draft.auto_truncate && tagLength(tags) > MAX_TAGS) tags.pop();
  return tags;
}

/** YouTube counts the commas between tags, and quotation marks around those with a space. */
export function tagLength(tags: readonly string[]): number {
  const signs = tags.map(tag => tag.length + (/\s/.test(tag) ? 2 : 0));
  return signs.reduce((sum, length) => sum + length, 0) + Math.max(0, tags.length - 1);
}

function tagFaults(draft: Draft): Fault[] {
  const tags = tagsOf(draft);
  const length = tagLength(tags);
  const field = 'youtube_tags';
  return [
    ...(length > MAX_TAGS
      ? [{ field, message: `Are ${length} characters long with their separators; YouTube takes ${MAX_TAGS}` }]
      : []),
    ...(tags.some(tag => MARKUP.test(tag)) ? [{ field, message: 'YouTube takes no < and no >' }] : []),
  ];
}

function countryFaults({ options }: Draft): Fault[] {
  const both =
    options['youtube_allowed_countries'] !== undefined && options['youtube_blocked_countries'] !== undefined;
  if (!both) return [];
  return [
    {
      field: 'youtube_blocked_countries',
      message: 'Only one of youtube_allowed_countries and youtube_blocked_countries may be given',
    },
  ];
}
