import type { Language } from '../brief.ts';
import { likelyLatinLanguages } from '../language.ts';
import { TABLES } from './languages/index.ts';

/** Neither links nor mentions say what a text is about. */
const NOISE = /https?:\/\/\S+|@[\p{L}\p{N}_.]+/gu;
/** How much more the beginning of a text says than its end. */
const FIRST_WORDS = 10;
const FIRST_WEIGHT = 1.5;

/**
 * Words of a text that carry its subject, the weightiest first: often said, and said early. The text may be in another
 * language than what is written about it.
 */
export function keywordsOf(text: string, language: Language): string[] {
  const languages = [language, ...likelyLatinLanguages(text)];
  const stopwords = new Set(languages.flatMap(each => TABLES[each].stopwords.split(' ')));
  const weights = new Map<string, number>();
  for (const [index, word] of wordsOf(text, language).entries()) {
    if (stopwords.has(word) || !isTelling(word)) continue;
    const weight = index < FIRST_WORDS ? FIRST_WEIGHT : 1;
    weights.set(word, (weights.get(word) ?? 0) + weight);
  }
  return [...weights].sort(([, a], [, b]) => b - a).map(([word]) => word);
}

/** Words in lower case, as the language divides a text. */
export function wordsOf(text: string, language: Language): string[] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
  return [...segmenter.segment(text.replace(NOISE, ' ').normalize('NFC'))]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment.toLocaleLowerCase(language));
}

/** A single sign says little, and neither does a number. */
const isTelling = (word: string) => /^.{2,}$/u.test(word) && /\p{L}/u.test(word);

/** Sentences of a text, each with its end mark, on one line. */
export function sentencesOf(text: string, language: Language): string[] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
  return [...segmenter.segment(text)]
    .map(({ segment }) => segment.replace(/\s+/gu, ' ').trim())
    .filter(sentence => sentence !== '');
}
