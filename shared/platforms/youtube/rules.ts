import * as v from 'valibot';
import { characters, utf16Units, utf8Bytes } from '../../text/measure.ts';
import { normalizeText } from '../../text/normalize.ts';
import { cutToFit, isCutToNothing } from '../../text/truncate.ts';
import { parseInstant } from '../../time/instant.ts';
import { oneLine, shapeText } from '../kit/draft.ts';
import {
  choiceOr,
  countries,
  flag,
  language,
  languageOr,
  line,
  ownDescription,
  ownMedia,
  textListOr,
  url,
} from '../kit/fields.ts';
import type { Draft, IgnoredField, PlatformRules, RuleViolation } from '../contract/rules.ts';
import { GB, HOURS, MB, MINUTES } from '../kit/sizes.ts';
import { basics } from './basics.ts';
import { MAX_TAGS, tagLength, tagsOf } from './tags.ts';

/** YouTube measures a description in bytes; the documented limit is in characters. */
const TEXT = [characters(5000), utf8Bytes(5000)];
/** YouTube does not document the unit of a title. UTF-16 units are the largest of the possible counts. */
const TITLE = [utf16Units(100)];

/** Film, Music, Gaming, People and Blogs, Education, Science and Tech. */
const CATEGORIES = ['1', '10', '20', '22', '27', '28'] as const;

const moment = v.pipe(
  v.string('Must be a string'),
  v.check(text => parseInstant(text) !== null, 'Must be an ISO 8601 date-time such as 2026-12-01T10:00:00Z'),
  v.description('When the video was recorded'),
);

/** https://developers.google.com/youtube/v3/docs/videos */
export const rules: PlatformRules = {
  ...basics,
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
    {
      name: 'Videos of channels without a verified phone number',
      applies: draft => ['eligible', 'disallowed'].includes(draft.account?.attributes['long_uploads'] ?? ''),
      kind: 'video',
      limits: { max_seconds: 15 * MINUTES },
    },
  ],
  text: () => TEXT,
  title: () => TITLE,
  titled: ['video'],
  comment: [],
  text_fields: {},
  shape: draft => shapeText(draft.description, draft, rules),
  shape_title: titleOf,
  options: {
    youtube_description: ownDescription('YouTube'),
    youtube_type: choiceOr(
      ['video', 'shorts'],
      'video',
      'Shorts are vertical or square and last at most 60 seconds',
    ),
    youtube_category_id: choiceOr(CATEGORIES, '22', 'Category of the video'),
    youtube_tags: textListOr([], 'At most 500 characters in total, as YouTube counts them'),
    youtube_privacy_status: choiceOr(['public', 'unlisted', 'private'], 'public', 'Who can see the video'),
    youtube_thumbnail_url: url('JPG, PNG, GIF or BMP of at most 2 MB; not for Shorts'),
    youtube_self_declared_made_for_kids: flag(false, 'Declares the video as made for kids'),
    youtube_contains_synthetic_media: flag(false, 'Declares altered or AI-generated content'),
    youtube_has_paid_product_placement: flag(false, 'Declares paid product placement'),
    youtube_license: choiceOr(['youtube', 'creativeCommon'], 'youtube', 'License of the video'),
    youtube_embeddable: flag(true, 'Allows other sites to embed the video'),
    youtube_public_stats_viewable: flag(true, 'Shows the statistics to everybody'),
    youtube_default_language: language('Language of the title and description'),
    youtube_default_audio_language: language('Language spoken in the video'),
    youtube_allowed_countries: countries('The only countries where the video can be watched'),
    youtube_blocked_countries: countries('Countries where the video cannot be watched'),
    youtube_recording_date: v.optional(moment),
    youtube_caption_url: url('SRT file with captions; costs 400 quota units'),
    youtube_caption_language: languageOr('en', 'Language of the captions'),
    youtube_playlist_id: line('Playlist to add the video to; costs 50 quota units'),
    youtube_media_urls: ownMedia('YouTube'),
  },
  required: [],
  only_for: {},
  fetched: ['youtube_thumbnail_url', 'youtube_caption_url'],
  audience_fields: ['youtube_privacy_status', 'youtube_self_declared_made_for_kids', 'youtube_type'],
  combinations: [
    'Without `title`, the first line of `description` is the title, shortened to 100.',
    'Title, description and tags contain no `<` and no `>`.',
    'A Short (`youtube_type`, or `#Shorts` in the title) has no `youtube_thumbnail_url`.',
    'Tags have at most 500 characters, counting the commas between them and quotation marks around tags with a space.',
    'Only one of `youtube_allowed_countries` and `youtube_blocked_countries` is set.',
  ],
  validate: draft => [
    ...titleViolations(draft),
    ...markupViolations(draft),
    ...shortsViolations(draft),
    ...tagViolations(draft),
    ...countryViolations(draft),
  ],
  ignored,
  banned_hashtags: false,
};

function ignored({ options }: Draft, sent: ReadonlySet<string>): IgnoredField[] {
  const fields: IgnoredField[] = [];
  if (sent.has('youtube_caption_language') && options['youtube_caption_url'] === undefined) {
    fields.push({
      field: 'youtube_caption_language',
      message: 'Is used with youtube_caption_url only and was ignored',
    });
  }
  if (sent.has('first_comment') && options['youtube_self_declared_made_for_kids'] === true) {
    fields.push({
      field: 'first_comment',
      message: 'Is not used for a video that is made for kids, which allows no comments, and was ignored',
    });
  }
  return fields;
}

/**
 * Returns the title, else the first line of the description, shortened to the limit of a title. A line that is one
 * long link is cut inside the link: links in titles are not clickable.
 */
function titleOf(draft: Pick<Draft, 'title' | 'description' | 'auto_truncate'>): string | null {
  const own = oneLine(draft.title);
  if (own !== null) return draft.auto_truncate ? cutToFit(own, TITLE) : own;
  const first = firstLine(draft.description);
  if (first === null) return null;
  const cut = cutToFit(first, TITLE);
  return isCutToNothing(cut, first) ? cutToFit(first, TITLE, () => []) : cut;
}

function firstLine(text: string | null): string | null {
  const lines = normalizeText(text ?? '').split('\n');
  return lines.map(oneLine).find(line => line !== null) ?? null;
}

/** True for a Short: `youtube_type` says so, or the title contains `#Shorts`. */
export function isShort(draft: Draft): boolean {
  return (
    draft.options['youtube_type'] === 'shorts' || /#shorts(?![\p{L}\p{N}_])/iu.test(titleOf(draft) ?? '')
  );
}

function titleViolations(draft: Draft): RuleViolation[] {
  if (titleOf(draft) !== null) return [];
  return [
    {
      field: 'title',
      message: 'Is required for YouTube unless there is a description, whose first line is then the title',
    },
  ];
}

/** YouTube rejects both characters. */
const MARKUP = /[<>]/;
const NO_MARKUP = 'Must not contain < or >: YouTube rejects them';

function markupViolations({ title, description }: Draft): RuleViolation[] {
  return Object.entries({ title, description })
    .filter(([, text]) => text !== null && MARKUP.test(text))
    .map(([field]) => ({ field, message: NO_MARKUP }));
}

function shortsViolations(draft: Draft): RuleViolation[] {
  if (draft.options['youtube_thumbnail_url'] === undefined || !isShort(draft)) return [];
  return [
    {
      field: 'youtube_thumbnail_url',
      message: 'Must not be set for a Short: YouTube accepts no thumbnail for it',
    },
  ];
}

function tagViolations(draft: Draft): RuleViolation[] {
  const tags = tagsOf(draft);
  const length = tagLength(tags);
  const field = 'youtube_tags';
  return [
    ...(length > MAX_TAGS
      ? [
          {
            field,
            message: `Must have at most ${MAX_TAGS} characters including separators; these tags have ${length}`,
          },
        ]
      : []),
    ...(tags.some(tag => MARKUP.test(tag)) ? [{ field, message: NO_MARKUP }] : []),
  ];
}

function countryViolations({ options }: Draft): RuleViolation[] {
  const lists = [options['youtube_allowed_countries'], options['youtube_blocked_countries']];
  if (!lists.every(list => Array.isArray(list) && list.length > 0)) return [];
  return [
    {
      field: 'youtube_blocked_countries',
      message: 'Must not be set together with youtube_allowed_countries',
    },
  ];
}
