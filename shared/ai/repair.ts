import { RULES } from '../platforms/registry.ts';
import { hashtagsOf } from '../text/hashtags.ts';
import { fits, type TextRule } from '../text/measure.ts';
import { isBlank } from '../text/normalize.ts';
import { cutToFit } from '../text/truncate.ts';
import type { AiPlatform, Brief } from './brief.ts';
import { cleanText } from './clean.ts';
import { draftOf, hashtagLimit, joined, textRules } from './conventions.ts';
import { splitTrailing, tidyHashtags, withoutHashtags } from './hashtags.ts';

/** A post as a provider gives it: its shape is right, and nothing else is certain. */
export interface RawPost {
  caption: string;
  hashtags: string | readonly string[];
}

export interface Written {
  caption: string;
  hashtags: string;
}

/** Hashtags of one text, inline ones included: what Instagram takes. */
const MOST_HASHTAGS = 30;
/** Share of a platform's limit that hashtags may take from a caption. */
const HASHTAG_SHARE = 0.4;

/** Signs that a platform refuses or takes only so many of, and what becomes of the rest. */
const SPECIALS: Readonly<Partial<Record<AiPlatform, (text: string) => string>>> = {
  youtube: text => text.replace(/[<>]/g, ''),
  x: text => keepFirst(text, /(?<=^|\s)\$(?=[a-z])/giu, 1),
  instagram: text => keepFirst(text, /@(?=[a-z0-9._])/giu, 20),
  threads: text => keepFirst(text, /https?:\/\/\S+/giu, 5),
};

/**
 * One platform's post as it may be published: plain text, hashtags tidied, within the platform's limit by the
 * platform's own count, caption and hashtags together. Null where nothing is left that could be.
 */
export function repair(
  brief: Brief,
  platform: AiPlatform,
  raw: RawPost,
  banned: ReadonlySet<string>,
): Written | null {
  const most = hashtagLimit(brief, platform);
  if (brief.type === 'hashtags') {
    const hashtags = fitting(platform, tidyHashtags(raw.hashtags, banned, [], most), 1);
    return hashtags === '' && most > 0 ? null : { caption: '', hashtags };
  }
  const special = SPECIALS[platform] ?? (text => text);
  const body = splitTrailing(special(cleanText(raw.caption)));
  const caption = withoutHashtags(body.text, banned, MOST_HASHTAGS - most);
  const wanted = [tidyHashtags(raw.hashtags, banned, [], most), body.hashtags].flat();
  const own = hashtagsOf(caption);
  const hashtags = fitting(platform, tidyHashtags(wanted, banned, own, most), HASHTAG_SHARE);
  const cut = cutToFit(caption, beside(textRules(platform), hashtags));
  return isBlank(cut) || !isAllowed(platform, joined(cut, hashtags)) ? null : { caption: cut, hashtags };
}

/** As many of the hashtags as fit into their share of the platform's limit. */
function fitting(platform: AiPlatform, hashtags: readonly string[], share: number): string {
  const rules = textRules(platform).map(rule => ({ ...rule, limit: rule.limit * share }));
  const kept: string[] = [];
  for (const hashtag of hashtags) {
    if (fits([...kept, hashtag].join(' '), rules)) kept.push(hashtag);
  }
  return kept.join(' ');
}

/** The rules for a text to which hashtags are added. */
const beside = (rules: readonly TextRule[], hashtags: string): TextRule[] =>
  rules.map(rule => ({ ...rule, measure: text => rule.measure(joined(text, hashtags)) }));

/** Nothing that the platform's own rules have against a text. */
function isAllowed(platform: AiPlatform, text: string): boolean {
  const rules = RULES[platform];
  const faults = rules.check(draftOf(rules, text));
  return fits(text, textRules(platform)) && !faults.some(({ field }) => field === 'description');
}

/** The first `most` matches stay, the others go. */
function keepFirst(text: string, pattern: RegExp, most: number): string {
  let seen = 0;
  return text.replace(pattern, match => {
    seen += 1;
    return seen > most ? '' : match;
  });
}
