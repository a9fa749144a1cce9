import * as v from 'valibot';
import { JsonObjectSchema, type JsonObject } from '../../model/json.ts';
import { isBlank, normalizeText } from '../../text/normalize.ts';
import { cutToFit } from '../../text/truncate.ts';
import type { AccountFacts, Draft, PlatformRules, RuleViolation, TextRule } from '../contract/rules.ts';

/** Ends a message about a text that is too long. */
export const SHORTEN_HINT = '. Set auto_truncate to true to shorten it';

/** A post as it was sent, for all its platforms: `options` holds the fields of every one of them. */
export type PostContent = Omit<Draft, 'account' | 'alt_texts'> & {
  /** Alt text of each of `media_urls`. */
  media_alt_texts?: readonly (string | null)[] | undefined;
};

/** The texts of a draft as they will be sent. */
export interface SentTexts {
  /** Empty where the post has no text. */
  text: string;
  /** Null where there is none, or the platform shows none in such a post. */
  title: string | null;
  /** Null where there is none, or the service cannot comment on the platform. */
  first_comment: string | null;
}

/** Returns the field that replaces `media_urls` for a platform; null where it has none. */
export const mediaFieldOf = (rules: PlatformRules): string | null => ownField(rules, 'media_urls');

/** Returns the field that replaces `description` for a platform; null where it has none. */
const descriptionFieldOf = (rules: PlatformRules): string | null => ownField(rules, 'description');

function ownField({ platform, options }: PlatformRules, field: string): string | null {
  const name = `${platform}_${field}`;
  return Object.hasOwn(options, name) ? name : null;
}

/** Returns the field with one alt text for all pictures of a platform; null where it has none. */
export const altTextFieldOf = (rules: PlatformRules): string | null => ownField(rules, 'alt_text');

/** Returns the limit of alt texts; null where the platform shows none. */
export function altTextRuleOf(rules: PlatformRules): TextRule | null {
  const field = altTextFieldOf(rules);
  return (field === null ? rules.alt_text : rules.text_fields[field]) ?? null;
}

/** Returns the alt text of the file at `index` of a draft's media; null where it has none. */
export const altTextOf = ({ alt_texts }: Pick<Draft, 'alt_texts'>, index: number): string | null =>
  alt_texts?.[index] ?? null;

/** The platform's own alt text is that of every picture; `media_alt_texts` belongs to `media_urls`, not to its own media. */
function altTextsFor(rules: PlatformRules, post: PostContent, options: JsonObject): (string | null)[] {
  const rule = altTextRuleOf(rules);
  if (rule === null) return [];
  const field = altTextFieldOf(rules);
  const { field: mediaField, urls } = mediaFor(rules, post);
  const own = field === null ? null : visibleAltText(options[field]);
  return urls.map((_, index) => {
    if (own !== null || mediaField !== 'media_urls') return own;
    const text = visibleAltText(post.media_alt_texts?.[index]);
    return text !== null && post.auto_truncate ? cutToFit(text, [rule]) : text;
  });
}

const visibleAltText = (text: unknown): string | null =>
  typeof text === 'string' && !isBlank(text) ? normalizeText(text) : null;

/** Returns the media that a platform gets and the field that names them. */
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

/** Returns the text that a platform gets and the field that holds it. */
export function descriptionFor(
  rules: PlatformRules,
  post: Pick<PostContent, 'description' | 'options'>,
): { field: string; text: string | null } {
  const field = descriptionFieldOf(rules);
  const own = field === null ? undefined : post.options[field];
  if (field !== null && typeof own === 'string')
    return { field, text: isBlank(own) ? null : normalizeText(own) };
  return { field: 'description', text: post.description };
}

/**
 * Returns a post as one platform sees it: its own fields with their defaults, its own text and media, no more files
 * than it accepts. Options that do not pass their schema are violations and are left out of the draft.
 */
export function draftFor(
  rules: PlatformRules,
  post: PostContent,
  account: AccountFacts | null = null,
): { draft: Draft; violations: RuleViolation[] } {
  const { options, violations } = readOptions(rules, post);
  const maxFiles = rules.post_types[post.post_type]?.max_files ?? 0;
  const draft: Draft = {
    post_type: post.post_type,
    title: post.title,
    description: descriptionFor(rules, post).text,
    media_urls: mediaFor(rules, post).urls.slice(0, maxFiles),
    alt_texts: altTextsFor(rules, post, options),
    first_comment: post.first_comment,
    auto_truncate: post.auto_truncate,
    options,
    account,
  };
  return { draft, violations };
}

function readOptions(
  rules: PlatformRules,
  { options: given, auto_truncate }: Pick<PostContent, 'options' | 'auto_truncate'>,
): { options: JsonObject; violations: RuleViolation[] } {
  const sent = rules.current?.(given) ?? given;
  const options: JsonObject = {};
  const violations: RuleViolation[] = [];
  for (const [name, schema] of Object.entries(rules.options)) {
    const parse = (value: unknown) =>
      v.safeParse(v.object({ [name]: schema }), value === undefined ? {} : { [name]: value });
    const shortened = shortenField(rules, name, sent[name]);
    const parsed = parse(auto_truncate ? shortened : sent[name]);
    if (parsed.success) Object.assign(options, withoutUndefined(parsed.output));
    else {
      const hint = !auto_truncate && parse(shortened).success ? SHORTEN_HINT : '';
      violations.push(
        ...parsed.issues.map(issue => ({
          field: pathOf(issue, name),
          message: `${messageOf(issue)}${hint}`,
        })),
      );
    }
  }
  return { options: v.parse(JsonObjectSchema, options), violations };
}

/** `youtube_tags[2]`, in the style of `media_urls[2]`. */
function pathOf(issue: v.BaseIssue<unknown>, name: string): string {
  return (v.getDotPath(issue) ?? name).replace(/\.(\d+)/g, '[$1]');
}

/** Says what was expected, never what was received. */
function messageOf(issue: v.BaseIssue<unknown>): string {
  return issue.message.startsWith('Invalid ') ? `Must be ${issue.expected ?? issue.type}` : issue.message;
}

function shortenField(rules: PlatformRules, name: string, value: unknown): unknown {
  const rule = rules.text_fields[name];
  return rule && typeof value === 'string' ? cutToFit(value, [rule]) : value;
}

function withoutUndefined(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined));
}

/** Returns the texts of a draft as they will be sent. */
export function textsFor(rules: PlatformRules, draft: Draft): SentTexts {
  return {
    text: rules.shape(draft),
    title: titleFor(rules, draft),
    first_comment: commentFor(rules, draft),
  };
}

/** Returns a text trimmed, normalised and, with `auto_truncate`, shortened to the platform's limits; '' where it has no visible character. */
export function shapeText(text: string | null, draft: Draft, rules: Pick<PlatformRules, 'text'>): string {
  const whole = normalizeText(text ?? '').trim();
  if (isBlank(whole)) return '';
  return draft.auto_truncate ? cutToFit(whole, rules.text(draft)) : whole;
}

/** Returns the title as it is sent, on one line; null where there is none or the platform shows none in such a post. */
export function titleFor(rules: PlatformRules, draft: Draft): string | null {
  if (!rules.titled.includes(draft.post_type)) return null;
  if (rules.shape_title) return rules.shape_title(draft);
  const title = oneLine(draft.title);
  return title !== null && draft.auto_truncate ? cutToFit(title, rules.title(draft)) : title;
}

/** Returns a title on one line; null where it has no visible character. */
export function oneLine(text: string | null): string | null {
  if (text === null || isBlank(text)) return null;
  return normalizeText(text)
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .join(' ');
}

/** Returns the first comment as it is sent; null where there is none or the service cannot comment on the platform. */
export function commentFor(rules: PlatformRules, draft: Draft): string | null {
  const comment = draft.first_comment;
  if (rules.comment === null || comment === null || isBlank(comment)) return null;
  const text = normalizeText(comment).trim();
  return draft.auto_truncate ? cutToFit(text, rules.comment) : text;
}

/** Returns a violation for a text post without text. */
export function missingText({ post_type }: Pick<Draft, 'post_type'>, text: string): RuleViolation[] {
  if (post_type !== 'text' || text !== '') return [];
  return [{ field: 'description', message: 'Is required for a text post' }];
}
