import { badVideo, refuse } from './errors.ts';
import type { Switches } from './state.ts';

type Member = Record<string, unknown>;

/** Categories of the region US; the others cannot be assigned. */
export const CATEGORIES: readonly (readonly [id: string, title: string, assignable: boolean])[] = [
  ['1', 'Film & Animation', true],
  ['2', 'Autos & Vehicles', true],
  ['10', 'Music', true],
  ['15', 'Pets & Animals', true],
  ['17', 'Sports', true],
  ['18', 'Short Movies', false],
  ['19', 'Travel & Events', true],
  ['20', 'Gaming', true],
  ['21', 'Videoblogging', false],
  ['22', 'People & Blogs', true],
  ['23', 'Comedy', true],
  ['24', 'Entertainment', true],
  ['25', 'News & Politics', true],
  ['26', 'Howto & Style', true],
  ['27', 'Education', true],
  ['28', 'Science & Technology', true],
  ['29', 'Nonprofits & Activism', true],
  ['30', 'Movies', false],
  ['44', 'Trailers', false],
];

const MAX_TITLE = 100;
const MAX_DESCRIPTION_BYTES = 5000;
const MAX_TAGS = 500;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/;
const MARKUP = /[<>]/;
const PRIVACY = ['public', 'unlisted', 'private'];

/** Checks the snippet and returns what YouTube stores of it. */
export function readSnippet(snippet: Member, switches: Switches): Member {
  const { title, description = '', tags = [], categoryId = '22' } = snippet;
  if (typeof title !== 'string' || !isTitle(title)) return badVideo('invalidTitle', 'title', 'snippet.title');
  if (typeof description !== 'string' || !isDescription(description)) {
    return badVideo('invalidDescription', 'description', 'snippet.description');
  }
  if (!Array.isArray(tags) || !areTags(tags)) return badVideo('invalidTags', 'keywords', 'snippet.tags');
  if (!CATEGORIES.some(([id, , assignable]) => assignable && id === categoryId)) {
    return badVideo('invalidCategoryId', 'category ID', 'snippet.categoryId');
  }
  const stored: Member = { title, description, categoryId, ...(tags.length > 0 ? { tags } : {}) };
  for (const name of ['defaultLanguage', 'defaultAudioLanguage']) {
    const language = snippet[name];
    if (language === undefined) continue;
    if (typeof language !== 'string' || !isLanguage(language)) {
      return badVideo('invalidVideoMetadata', 'language', `snippet.${name}`);
    }
    if (name === 'defaultLanguage' || switches.audio_language === 'stored') stored[name] = language;
  }
  return stored;
}

const isTitle = (title: string) =>
  title.trim() !== '' &&
  title.length <= MAX_TITLE &&
  !MARKUP.test(title) &&
  !/[\u0000-\u001f\u007f]/.test(title);

const isDescription = (text: string) =>
  Buffer.byteLength(text) <= MAX_DESCRIPTION_BYTES && !MARKUP.test(text) && !CONTROL.test(text);

function areTags(tags: readonly unknown[]): boolean {
  const lengths = tags.map(tag =>
    typeof tag === 'string' && tag !== '' && !MARKUP.test(tag) ? tag.length + (/\s/.test(tag) ? 2 : 0) : NaN,
  );
  return lengths.reduce((sum, length) => sum + length, 0) + Math.max(0, tags.length - 1) <= MAX_TAGS;
}

function isLanguage(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** Checks the status and returns it with the defaults of what it leaves out. */
export function readStatus(status: Member): Member {
  const { privacyStatus = 'public', license = 'youtube', publishAt } = status;
  if (!PRIVACY.includes(String(privacyStatus))) {
    return badVideo('invalidVideoMetadata', 'privacy status', 'status.privacyStatus');
  }
  if (license !== 'youtube' && license !== 'creativeCommon') {
    return badVideo('invalidVideoMetadata', 'license', 'status.license');
  }
  if (publishAt !== undefined && privacyStatus !== 'private') {
    return badVideo('invalidPublishAt', 'scheduled publishing time', 'status.publishAt');
  }
  const madeForKids = flag(status, 'selfDeclaredMadeForKids', false);
  return {
    privacyStatus,
    license,
    embeddable: flag(status, 'embeddable', true),
    publicStatsViewable: flag(status, 'publicStatsViewable', true),
    madeForKids,
    selfDeclaredMadeForKids: madeForKids,
    containsSyntheticMedia: flag(status, 'containsSyntheticMedia', false),
  };
}

function flag(status: Member, name: string, fallback: boolean): boolean {
  const value = status[name] ?? fallback;
  return typeof value === 'boolean' ? value : badVideo('invalidVideoMetadata', name, `status.${name}`);
}

export function readRecording({ recordingDate }: Member): Member {
  if (recordingDate === undefined) return {};
  const isDate =
    typeof recordingDate === 'string' &&
    /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(recordingDate) &&
    !Number.isNaN(Date.parse(recordingDate));
  return isDate
    ? { recordingDate }
    : badVideo('invalidRecordingDetails', 'recording date', 'recordingDetails');
}

export function readPlacement(
  details: Member,
  { paid_placement: mode }: Switches,
  isInsert: boolean,
): Member {
  if (mode === 'refused' || (mode === 'refused_on_insert' && isInsert)) {
    refuse(400, 'unexpectedPart', "'paid_product_placement_details'", {
      domain: 'youtube.part',
      location: 'part',
      locationType: 'parameter',
    });
  }
  return mode === 'ignored' ? {} : details;
}

/** The object at a name of a body; empty where there is none. */
export function member(body: Member, name: string): Member {
  const value = body[name];
  return typeof value === 'object' && value !== null ? (value as Member) : {};
}
