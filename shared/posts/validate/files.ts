import type { ValidationDetail } from '../../http/errors.ts';
import { decideCover, decideFiles, groupProblems } from '../../media/limits/file-decision.ts';
import { wrongName } from '../../media/limits/file-limits.ts';
import type { FileDecision } from '../../media/limits/picture-needs.ts';
import { MEDIA_FORMATS, type MediaFacts, type MediaKind } from '../../model/media.ts';
import type { PlatformPost } from '../drafts.ts';
import { errorOf } from '../error.ts';
import type { FieldWarning } from '../warning.ts';
import type { FileResult, FileResults } from './file-facts.ts';
import { formatByName } from './file-names.ts';

/** A file that one platform of a post will get. */
export interface PostFile {
  field: string;
  url: string;
  /** The field names a picture beside the media, such as a cover. */
  is_cover: boolean;
}

export interface FileFindings {
  errors: ValidationDetail[];
  warnings: FieldWarning[];
}

/** Returns the files that a platform will get: its media, no more than it accepts, and covers. */
export function filesOf({ rules, draft, media_field }: PlatformPost): PostFile[] {
  if (draft.post_type === 'text') return [];
  const media = draft.media_urls.map((url, index) => ({
    field: `${media_field}[${index}]`,
    url,
    is_cover: false,
  }));
  const covers = Object.keys(rules.covers ?? {}).flatMap(field => {
    const url = draft.options[field];
    return typeof url === 'string' ? [{ field, url, is_cover: true }] : [];
  });
  return [...media, ...covers];
}

/** Returns the URLs of all files of a post, each once. */
export function fileUrls(posts: readonly PlatformPost[]): string[] {
  return [...new Set(posts.flatMap(post => filesOf(post).map(({ url }) => url)))];
}

/** Returns the total size of files in bytes; null while the size of any is unknown. */
export function totalSize(urls: readonly string[], results: FileResults): number | null {
  const sizes = urls.map(url => factsOf(results.get(url))?.size ?? null);
  return sizes.reduce((sum, size) => (sum === null || size === null ? null : sum + size), 0);
}

/** Checks the files of a post against the limits of each platform that gets them, one by one and together. */
export function fileFindings(posts: readonly PlatformPost[], results: FileResults): FileFindings {
  const findings = [...posts.map(post => platformFindings(post, results)), sharedFindings(posts, results)];
  return {
    errors: findings.flatMap(({ errors }) => errors),
    warnings: distinct(findings.flatMap(({ warnings }) => warnings)),
  };
}

/** Problems of files that are the platform's: limits, and what it will show differently. */
function platformFindings(post: PlatformPost, results: FileResults): FileFindings {
  const { platform } = post.rules;
  const decided = decisionsOf(post, results);
  const warningsOf = (code: FieldWarning['code'], field: string, messages: readonly string[]) =>
    messages.map((message): FieldWarning => ({ code, field, message, platform }));
  return {
    errors: [
      ...decided.flatMap(({ field, problems }) => problems.map(message => errorOf(field, message, platform))),
      ...problemsTogether(post, results).map(message => errorOf(post.media_field, message, platform)),
    ],
    warnings: decided.flatMap(({ field, changes, doubts }) => [
      ...warningsOf('MEDIA_CHANGED', field, changes),
      ...warningsOf('MAY_EXCEED_LIMIT', field, doubts),
    ]),
  };
}

/** Returns what the platform gets of each known file. */
function decisionsOf(post: PlatformPost, results: FileResults): (FileDecision & { field: string })[] {
  const { rules, draft } = post;
  const files = filesOf(post).map(file => ({ ...file, facts: factsOf(results.get(file.url)) }));
  const media = files.filter(({ is_cover }) => !is_cover);
  const covers = files.filter(({ is_cover }) => is_cover);
  const decisions = decideFiles(
    rules,
    draft,
    media.map(({ facts }) => facts),
  );
  const decided = [
    ...media.map(({ field }, index) => ({ field, decision: decisions[index] ?? null })),
    // Of a cover, the platform shows a still image of its own size in any case.
    ...covers.map(({ field, facts }) => ({
      field,
      decision: facts && { ...decideCover(rules, field, facts), changes: [] },
    })),
  ];
  return decided.flatMap(({ field, decision }) => (decision ? [{ ...decision, field }] : []));
}

function problemsTogether(post: PlatformPost, results: FileResults): string[] {
  const { rules, draft } = post;
  const media = filesOf(post).filter(({ is_cover }) => !is_cover);
  const facts = media.map(({ url }) => factsOf(results.get(url)));
  const problems = groupProblems(rules, draft, facts);
  const hasUnreadGif = media.some(({ url }, index) => facts[index] === null && formatByName(url) === 'GIF');
  const mixesGif = rules.pictures?.animation_in_album === 'refused' && media.length > 1 && hasUnreadGif;
  if (problems.length > 0 || !mixesGif || draft.post_type !== 'image') return problems;
  return [`${rules.display_name} accepts a GIF only as the single image of a post`];
}

/** Problems of files that are the same for every platform: one error or warning per field. */
function sharedFindings(posts: readonly PlatformPost[], results: FileResults): FileFindings {
  const byField = new Map(
    posts.flatMap(filesOf).map(file => [file.field, { ...file, result: results.get(file.url) }] as const),
  );
  const errors: ValidationDetail[] = [];
  const warnings: FieldWarning[] = [];
  const post_type = posts[0]?.draft.post_type;
  for (const [field, { result, url, is_cover }] of byField) {
    const expected = is_cover || post_type === 'text' ? 'image' : post_type;
    if (result?.type === 'unusable') errors.push(errorOf(field, result.message));
    if (result?.type === 'unchecked' && expected) errors.push(...misnamedFile(field, url, expected));
    if (result?.type === 'known') warnings.push(...unknownFacts(field, result.facts));
  }
  return { errors, warnings: [...uncheckedWarnings(posts, results), ...warnings] };
}

/** A file that was not read is judged by its name where that plainly names another kind of file. */
function misnamedFile(field: string, url: string, expected: MediaKind): ValidationDetail[] {
  const format = formatByName(url);
  if (format === null || MEDIA_FORMATS[format] === expected) return [];
  return [errorOf(field, wrongName(format, expected))];
}

/** Returns one warning per file, whichever fields name it. */
function uncheckedWarnings(posts: readonly PlatformPost[], results: FileResults): FieldWarning[] {
  const fieldByUrl = new Map<string, string>();
  for (const { field, url } of posts.flatMap(filesOf)) {
    if (!fieldByUrl.has(url)) fieldByUrl.set(url, field);
  }
  return [...fieldByUrl].flatMap(([url, field]) => {
    const result = results.get(url);
    return result?.type === 'unchecked' ? [notChecked(field, result.message)] : [];
  });
}

const notChecked = (field: string, message: string): FieldWarning => ({
  code: 'MEDIA_NOT_CHECKED',
  field,
  message,
});

/** Facts that could not be read: the platform may reject the file for them. */
function unknownFacts(field: string, facts: MediaFacts): FieldWarning[] {
  const missing = [
    ...(facts.size === null ? ['size'] : []),
    ...(facts.kind === 'video' && facts.duration === null ? ['duration'] : []),
    ...(facts.kind !== 'document' && facts.width === null && facts.video_tracks !== 0 ? ['dimensions'] : []),
    ...(facts.kind === 'image' && facts.frames === null ? ['number of frames'] : []),
  ];
  if (missing.length === 0) return [];
  const message = `Limits were not checked for what could not be read of the file: ${missing.join(', ')}`;
  return [notChecked(field, message)];
}

const factsOf = (result: FileResult | undefined): MediaFacts | null =>
  result?.type === 'known' ? result.facts : null;

function distinct(warnings: readonly FieldWarning[]): FieldWarning[] {
  const byKey = new Map<string, FieldWarning>();
  for (const warning of warnings) {
    const key = JSON.stringify([warning.field, warning.platform ?? null, warning.message]);
    if (!byKey.has(key)) byKey.set(key, warning);
  }
  return [...byKey.values()];
}
