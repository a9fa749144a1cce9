import type { Brief, Language } from '../brief.ts';
import type { Chooser } from './chooser.ts';
import { keywordsOf, wordsOf } from './keywords.ts';
import { TABLES } from './languages/index.ts';

/** Keywords that become hashtags, and those of them that are combined with endings. */
const MAX_KEYWORDS = 10;
const COMBINED = 1;
/** A topic of up to this many words is a hashtag as a whole. */
const MAX_WORDS = 3;

/** Returns candidates for hashtags, the best first; more than a request can ask for. */
export function hashtagsFor({ source, context, language }: Brief, choose: Chooser): string[] {
  const { endings, hashtags } = TABLES[language];
  const keywords = keywordsOf(`${source}\n${context ?? ''}`, language).slice(0, MAX_KEYWORDS);
  const combine = (stems: readonly string[]) =>
    endings.split(' ').flatMap(ending => stems.map(stem => stem + ending));
  const general = rotated(hashtags.split(' '), choose);
  const candidates = [
    ...wholeTopic(source, language, keywords),
    ...keywords,
    ...general,
    // Only for requests of many hashtags: an ending does not suit every word.
    ...combine(keywords.slice(0, COMBINED)),
    ...combine(general.slice(0, 2)),
  ];
  return candidates.map(word => `#${word}`);
}

/** A short topic as one hashtag, if it is nothing but meaningful words: no sentence, no link. */
function wholeTopic(source: string, language: Language, keywords: readonly string[]): string[] {
  const words = wordsOf(source, language);
  const isPhrase =
    words.length > 1 &&
    words.length <= MAX_WORDS &&
    words.every(word => keywords.includes(word)) &&
    /^[\p{L}\p{M}\p{N}\s&-]+$/u.test(source.trim());
  return isPhrase ? [words.join(language === 'ar' ? '_' : '')] : [];
}

/** Returns the list starting at a chosen position, so that posts carry different hashtags. */
function rotated(items: readonly string[], choose: Chooser): string[] {
  const start = choose.pick([...items.keys()]);
  return [...items.slice(start), ...items.slice(0, start)];
}
