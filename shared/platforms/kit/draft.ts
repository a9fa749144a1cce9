import * as v from 'valibot';
import { JsonObjectSchema, type JsonObject } from '../../model/json.ts';
import { isBlank, normalizeText } from '../../text/normalize.ts';
import { cutToFit } from '../../text/truncate.ts';
import type { Draft, Fault, PlatformRules } from '../contract/rules.ts';

/** What a message about something too long says of the way out. */
export const WOULD_BE_CUT = ' (auto_truncate: true would cut it)';

/** A post as it was given: one for all its platforms, `options` with the fields of all of them. */
export type PostContent = Omit<Draft, 'media_urls'> & { media_urls: readonly string[] };

/** The name of the field that replaces `media_urls` for a platform; null where it has none. */
export function mediaFieldOf({ platform, options }: PlatformRules): string | null {
  const name = `${platform}_media_urls`;
  return Object.hasOwn(options, name) ? name : null;
}

/** The media for a platform: its own list where the post has one, and the field that holds it. */
export function mediaFor(
  rules: PlatformRules,
  post: Pick<PostContent, 'media_urls' | 'options'>,
): { field: string; urls: readonly string[] } {
  const field = mediaFieldOf(rules);
  const own = field === null ? undefined : post.options[field];
  if (field !== null && Array.isArray(own))
    return { field, urls: own.filter(url => typeof url === 'string') };
  return { field: 'media_urls', urls: post.media_urls };
}

/**
 * A post as one platform sees it: its own fields with their defaults and nobody else's, its own media and no more than
 * it takes. Fields that do not fit are faults, and left out of the draft.
 */
export function draftFor(rules: PlatformRules, post: PostContent): { draft: Draft; faults: Fault[] } {
  const { options, faults } = readOptions(rules, post);
  const most = rules.post_types[post.post_type]?.max_files ?? 0;
  const draft: Draft = {
    post_type: post.post_type,
    title: post.title,
    description: post.description,
    media_urls: mediaFor(rules, post).urls.slice(0, most),
    first_comment: post.first_comment,
    auto_truncate: post.auto_truncate,
    options,
  };
  return { draft, faults };
}

function readOptions(
  rules: PlatformRules,
  { options: given, auto_truncate }: Pick<PostContent, 'options' | 'auto_truncate'>,
): { options: JsonObject; faults: Fault[] } {
  const options: JsonObject = {};
  const faults: Fault[] = [];
  for (const [name, schema] of Object.entries(rules.options)) {
    const read = (value: unknown) =>
      v.safeParse(v.object({ [name]: schema }), value === undefined ? {} : { [name]: value });
    const cut = cutField(rules, name, given[name]);
    const parsed = read(auto_truncate ? cut : given[name]);
    if (parsed.success) Object.assign(options, withoutUndefined(parsed.output));
    else {
      const way = !auto_truncate && read(cut).success ? WOULD_BE_CUT : '';
      const issues = parsed.issues.map(issue => ({
        field: pathOf(issue, name),
        message: `${wordsOf(issue)}${way}`,
      }));
      faults.push(...issues);
    }
  }
  return { options: v.parse(JsonObjectSchema, options), faults };
}

/** `youtube_tags[2]`, as the elements of `media_urls` are named. */
function pathOf(issue: v.BaseIssue<unknown>, name: string): string {
  return (v.getDotPath(issue) ?? name).replace(/\.(\d+)/g, '[$1]');
}

/** Says what was expected, never what was received. */
function wordsOf(issue: v.BaseIssue<unknown>): string {
  return issue.message.startsWith('Invalid ') ? `Must be ${issue.expected ?? issue.type}` : issue.message;
}

function cutField(rules: PlatformRules, name: string, value: unknown): unknown {
  const rule = rules.text_fields[name];
  return rule && typeof value === 'string' ? cutToFit(value, [rule]) : value;
}

function withoutUndefined(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined));
}

/** A description trimmed and normalised, cut by the platform's rules where the post says so; '' when nothing shows. */
export function shapeText(text: string | null, draft: Draft, rules: Pick<PlatformRules, 'text'>): string {
  const whole = normalizeText(text ?? '').trim();
  if (isBlank(whole)) return '';
  return draft.auto_truncate ? cutToFit(whole, rules.text(draft)) : whole;
}

/** The title as it is sent, on one line; null when there is none, or nothing to show it. */
export function titleFor(rules: PlatformRules, draft: Draft): string | null {
  if (!rules.titled.includes(draft.post_type)) return null;
  if (rules.shape_title) return rules.shape_title(draft);
  const title = oneLine(draft.title);
  return title !== null && draft.auto_truncate ? cutToFit(title, rules.title(draft)) : title;
}

/** Titles have no second line anywhere. Null for a title that shows nothing. */
export function oneLine(text: string | null): string | null {
  if (text === null || isBlank(text)) return null;
  return normalizeText(text)
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}

/** The first comment as it is sent; null when there is none, or the platform gets none. */
export function commentFor(rules: PlatformRules, draft: Draft): string | null {
  const comment = draft.first_comment;
  if (rules.comment === null || comment === null || isBlank(comment)) return null;
  const text = normalizeText(comment).trim();
  return draft.auto_truncate ? cutToFit(text, rules.comment) : text;
}
