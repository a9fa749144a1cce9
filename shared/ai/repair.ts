import { RULES } from '../platforms/registry/rules.ts';
import { foldHashtag, hashtagsOf } from '../text/hashtags.ts';
import { findLinks } from '../text/links.ts';
import { fits, type TextRule } from '../text/measure.ts';
import { isBlank } from '../text/normalize.ts';
import { cutToFit } from '../text/truncate.ts';
import type { AiPlatform, Brief } from './brief.ts';
import { cleanText } from './clean.ts';
import { normalizeHashtags, splitTrailingHashtags, unmarkHashtags } from './hashtags.ts';
import { draftOf, hashtagLimit, joinPost, styleOf, textRules } from './platform-style.ts';
import { changeOutsideLinks, removeLinks } from './protect.ts';

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
  const { sanitize = (text: string) => text, max_links = Infinity } = styleOf(platform);
  const limited = limitLinks(cleanText(raw.caption), max_links);
  const body = splitTrailingHashtags(changeOutsideLinks(limited, sanitize));
  const isBanned = (hashtag: string) => banned.has(foldHashtag(hashtag));
  const withoutBanned = removeLinks(body.text, link => hashtagsOf(link).some(isBanned));
  const caption = changeOutsideLinks(withoutBanned, text =>
    unmarkHashtags(text, banned, MAX_HASHTAGS - most),
  );
  const wanted = [...normalizeHashtags(raw.hashtags, banned, [], most), ...body.hashtags];
  const inline = hashtagsOf(caption);
  const hashtags = fitHashtags(platform, normalizeHashtags(wanted, banned, inline, most), HASHTAG_SHARE);
  const cut = cutToFit(caption, rulesBeside(textRules(platform), hashtags));
  return isBlank(cut) || !isPublishable(platform, joinPost(cut, hashtags))
    ? null
    : { caption: cut, hashtags };
}

/** Removes links beyond the first `most` different ones. */
function limitLinks(text: string, most: number): string {
  const links = findLinks(text);
  const kept = new Set([...new Set(links.map(link => link.text))].slice(0, most));
  const removed = links.filter(link => !kept.has(link.text));
  const starts = [0, ...removed.map(({ end }) => end)];
  return starts.map((start, index) => text.slice(start, removed[index]?.start)).join('');
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
  const violations = rules.validate(draftOf(rules, text), text);
  return fits(text, textRules(platform)) && !violations.some(({ field }) => field === 'description');
}
