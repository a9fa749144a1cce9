import { RULES } from '../platforms/registry.ts';
import { hashtagsOf } from '../text/hashtags.ts';
import { fits, type TextRule } from '../text/measure.ts';
import { isBlank } from '../text/normalize.ts';
import { cutToFit } from '../text/truncate.ts';
import type { AiPlatform, Brief } from './brief.ts';
import { cleanText } from './clean.ts';
import { normalizeHashtags, splitTrailingHashtags, unmarkHashtags } from './hashtags.ts';
import { draftOf, hashtagLimit, joinPost, styleOf, textRules } from './platform-style.ts';

/** A post as a provider returns it: only its shape is validated. */
export interface RawPost {
  caption: string;
  hashtags: string | readonly string[];
}

/** A post that may be published as it is. */
export interface GeneratedPost {
  caption: string;
  /** Separated by spaces. */
  hashtags: string;
}

/** Most hashtags of one post, those within the caption included: Instagram's limit. */
const MAX_HASHTAGS = 30;
/** Share of a platform's text limit that hashtags may take. */
const HASHTAG_SHARE = 0.4;

/**
 * Makes a raw post publishable on one platform: plain text, normalized hashtags, caption and hashtags together within
 * the platform's limit by its own count. Returns null where no publishable text is left.
 */
export function repair(
  brief: Brief,
  platform: AiPlatform,
  raw: RawPost,
  banned: ReadonlySet<string>,
): GeneratedPost | null {
  const most = hashtagLimit(brief, platform);
  if (brief.type === 'hashtags') {
    const hashtags = fitHashtags(platform, normalizeHashtags(raw.hashtags, banned, [], most), 1);
    return hashtags === '' && most > 0 ? null : { caption: '', hashtags };
  }
  const { sanitize = text => text } = styleOf(platform);
  const body = splitTrailingHashtags(sanitize(cleanText(raw.caption)));
  const caption = unmarkHashtags(body.text, banned, MAX_HASHTAGS - most);
  const wanted = [...normalizeHashtags(raw.hashtags, banned, [], most), ...body.hashtags];
  const inline = hashtagsOf(caption);
  const hashtags = fitHashtags(platform, normalizeHashtags(wanted, banned, inline, most), HASHTAG_SHARE);
  const cut = cutToFit(caption, rulesBeside(textRules(platform), hashtags));
  return isBlank(cut) || !isPublishable(platform, joinPost(cut, hashtags))
    ? null
    : { caption: cut, hashtags };
}

/** Joins as many hashtags as fit into a share of the platform's limit. */
function fitHashtags(platform: AiPlatform, hashtags: readonly string[], share: number): string {
  const rules = textRules(platform).map(rule => ({ ...rule, limit: rule.limit * share }));
  const kept: string[] = [];
  for (const hashtag of hashtags) {
    if (fits([...kept, hashtag].join(' '), rules)) kept.push(hashtag);
  }
  return kept.join(' ');
}

/** The rules of a caption that hashtags are added to. */
const rulesBeside = (rules: readonly TextRule[], hashtags: string): TextRule[] =>
  rules.map(rule => ({ ...rule, measure: text => rule.measure(joinPost(text, hashtags)) }));

/** True when the platform's own rules accept the text. */
function isPublishable(platform: AiPlatform, text: string): boolean {
  const rules = RULES[platform];
  const violations = rules.check(draftOf(rules, text));
  return fits(text, textRules(platform)) && !violations.some(({ field }) => field === 'description');
}
