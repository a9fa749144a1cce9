import type { Brief } from '../brief.ts';
import type { Chooser } from './chooser.ts';
import { keywordsOf, wordsOf } from './keywords.ts';
import { TABLES } from './languages/index.ts';

/** Keywords that make hashtags of their own, and those that are combined with endings. */
const KEYWORDS = 10;
const COMBINED = 2;
/** A topic of so many words is a hashtag as a whole. */
const MOST_WORDS = 3;

/** Candidates for hashtags, the best first; more than anybody asks for. */
export function hashtagsFor({ source, context, language }: Brief, choose: Chooser): string[] {
  const { endings, hashtags } = TABLES[language];
  const keywords = keywordsOf(`${source}\n${context ?? ''}`, language).slice(0, KEYWORDS);
  const words = wordsOf(source, language);
  const whole = words.length > 1 && words.length <= MOST_WORDS ? [words.join('')] : [];
  const combine = (stems: readonly string[]) =>
    endings.split(' ').flatMap(ending => stems.map(stem => stem + ending));
  const general = rotated(hashtags.split(' '), choose);
  const candidates = [
    ...whole,
    ...keywords,
    ...combine(keywords.slice(0, COMBINED)),
    ...general,
    ...combine(general.slice(0, COMBINED)),
  ];
  return candidates.map(word => `#${word}`);
}

/** The same list, begun at another place: not every post carries the same ones. */
function rotated(items: readonly string[], choose: Chooser): string[] {
  const start = choose.pick([...items.keys()]);
  return [...items.slice(start), ...items.slice(0, start)];
}
