import type { ValidationDetail } from '../../http/errors.ts';
import type { PlatformId, PostType } from '../../model/platform.ts';
import type { PlatformRules, RuleViolation, TextRule } from '../../platforms/contract/rules.ts';
import {
  SHORTEN_HINT,
  textsFor,
  titleFor,
  type PostContent,
  type SentTexts,
} from '../../platforms/kit/draft.ts';
import { RULES } from '../../platforms/registry/rules.ts';
import { fits } from '../../text/measure.ts';
import { isCutToNothing, prefixOverLimit } from '../../text/truncate.ts';
import { supports, type PlatformPost } from '../drafts.ts';
import { errorOf } from '../error.ts';

/** Returns an error for each platform that does not support the type of the post. */
export function typeErrors(type: PostType, platforms: readonly PlatformId[]): ValidationDetail[] {
  return platforms
    .filter(platform => !supports(platform, type))
    .map(platform => {
      const message = `${RULES[platform].display_name} does not support ${type} posts`;
      return errorOf('post_type', message, platform);
    });
}

/** Returns everything that one platform would reject, as far as its rules tell. */
export function platformErrors(post: PlatformPost, content: PostContent): ValidationDetail[] {
  const { rules, draft, texts } = post;
  const violations = [
    ...post.option_violations,
    ...missingFields(post, content),
    ...fileCountViolations(post),
    ...(draft.auto_truncate ? unshortenableTexts(post) : tooLongTexts(post)),
    ...rules.validate(draft, texts.text),
  ];
  return violations.map(({ field, message }) => errorOf(sentField(post, field), message, rules.platform));
}

/** Rules name the common fields; the error names the platform's own field where that was used. */
function sentField({ description_field, media_field }: PlatformPost, field: string): string {
  if (field === 'description') return description_field;
  return field === 'media_urls' ? media_field : field;
}

/** A field that was sent but is invalid is not missing as well. */
function missingFields(
  { rules, draft, option_violations }: PlatformPost,
  sent: PostContent,
): RuleViolation[] {
  return rules.required
    .filter(name => draft.options[name] === undefined && sent.options[name] === undefined)
    .filter(name => !option_violations.some(({ field }) => field === name))
    .map(field => ({ field, message: `Is required for ${rules.display_name}` }));
}

function fileCountViolations({ rules, draft, media_field, media_count }: PlatformPost): RuleViolation[] {
  const limit = rules.post_types[draft.post_type]?.max_files ?? 0;
  if (draft.auto_truncate || draft.post_type === 'text' || media_count <= limit) return [];
  const files = limit === 1 ? '1 file' : `${limit} files`;
  const message = `${rules.display_name} accepts at most ${files} in a post of type ${draft.post_type}; ${media_field} has ${media_count}. Set auto_truncate to true to leave out the rest`;
  return [{ field: media_field, message }];
}

/** A text of a draft as it will be sent, with its limits. */
interface LimitedText {
  field: string;
  text: string;
  limits: readonly TextRule[];
}

/** Returns the texts of a post with their limits; also a title that the platform does not show in such a post. */
function limitedTexts(
  { rules, draft }: PlatformPost,
  { text, title, first_comment }: SentTexts,
): LimitedText[] {
  const anyTitle = title ?? titleFor({ ...rules, titled: [draft.post_type] }, draft);
  return [
    { field: 'description', text, limits: rules.text(draft) },
    { field: 'title', text: anyTitle ?? '', limits: rules.title(draft) },
    { field: 'first_comment', text: first_comment ?? '', limits: rules.comment ?? [] },
  ];
}

function tooLongTexts(post: PlatformPost): RuleViolation[] {
  return limitedTexts(post, post.texts).flatMap(limited => lengthViolation(post.rules, limited));
}

const NOUNS: Readonly<Record<string, string>> = { title: 'the title', first_comment: 'the comment' };

/** Returns the first limit that a text exceeds: where a platform has two measures, one of them explains enough. */
function lengthViolation(
  { display_name }: PlatformRules,
  { field, text, limits }: LimitedText,
): RuleViolation[] {
  const noun = NOUNS[field] ?? 'the text';
  for (const { limit, measure, unit } of limits) {
    const accepted = `${display_name} accepts at most ${limit} ${unit}`;
    if (prefixOverLimit(text, limit, measure) !== null) {
      return [{ field, message: `${accepted}; ${noun} is far longer${SHORTEN_HINT}` }];
    }
    const length = measure(text);
    if (length > limit) return [{ field, message: `${accepted}; ${noun} has ${length}${SHORTEN_HINT}` }];
  }
  return [];
}

/** Returns texts of which truncation would leave nothing: they begin with a link, mention or hashtag that is too long. */
function unshortenableTexts(post: PlatformPost): RuleViolation[] {
  const whole = limitedTexts(post, textsFor(post.rules, { ...post.draft, auto_truncate: false }));
  const doubtful = whole.filter(({ text, limits }) => !fits(firstWord(text), limits));
  if (doubtful.length === 0) return [];
  const sent = new Map(limitedTexts(post, post.texts).map(({ field, text }) => [field, text]));
  return doubtful
    .filter(({ field, text }) => isCutToNothing(sent.get(field) ?? text, text))
    .map(({ field }) => ({
      field,
      message: `Cannot be shortened for ${post.rules.display_name}: it begins with a link or word that is longer than the limit`,
    }));
}

const firstWord = (text: string) => `${/^\S*/.exec(text)?.[0] ?? ''} …`;
