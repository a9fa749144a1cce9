import type { Language } from '../brief.ts';
import { decodeEntities } from '../clean.ts';
import { likelyLatinLanguages } from '../language.ts';
import { protect, withoutLinks } from '../protect.ts';
import { TABLES } from './languages/index.ts';

/** Words at the beginning of a text weigh more than those at its end. */
const FIRST_WORDS = 10;
const FIRST_WEIGHT = 1.5;

/**
 * Returns the words that carry a text's subject, the most important first: those that occur often and early. The text may be
 * in another language than `language`.
 */
export function keywordsOf(text: string, language: Language): string[] {
  const languages = [language, ...likelyLatinLanguages(text)];
  const stopwords = new Set(languages.flatMap(each => TABLES[each].stopwords.split(' ')));
  const weights = new Map<string, number>();
  for (const [index, word] of wordsOf(text, language).entries()) {
    if (stopwords.has(word) || !isMeaningful(word) || NO_SUBJECT[language]?.test(word)) continue;
    const weight = index < FIRST_WORDS ? FIRST_WEIGHT : 1;
    weights.set(word, (weights.get(word) ?? 0) + weight);
  }
  return [...weights].sort(([, a], [, b]) => b - a).map(([word]) => word);
}

/**
 * Returns the words in lower case, segmented by the language's rules; words with a hyphen are one. Links, addresses and
 * mentions are ignored.
 */
export function wordsOf(text: string, language: Language): string[] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
  const plain = decodeEntities(withoutLinks(text)).normalize('NFC').replace(HYPHEN, '');
  return [...segmenter.segment(plain)]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => stem(segment.toLocaleLowerCase(language), language));
}

/** Articles, endings and particles that are written together with a word: `l’espresso`, `Ankara’dan`, `토요일에`. */
const ATTACHED: Readonly<Partial<Record<Language, RegExp>>> = {
  en: /['’]s$/u,
  tr: /['’]\p{L}{1,8}$/u,
  fr: /^(?:[cdjlmnst]|qu)['’](?=\p{L}{2})/u,
  ko: /(?<=\p{L}{2})(?:에서|으로|은|는|을|를|에|의|가)$|(?<=^\p{L})를$|(?<=^(?![가노마])\p{L})을$/u,
};

/** Endings of verbs, and what is left of them when a word is cut into pieces. */
const NO_SUBJECT: Readonly<Partial<Record<Language, RegExp>>> = {
  ja: /^\p{Script=Hiragana}{1,2}$/u,
  ko: /(?:니다|세요|네요|나요|까요|[아어해]요)$/u,
};

const stem = (word: string, language: Language) => word.replace(ATTACHED[language] ?? /$^/u, '');

/** Not the one between a French verb and its pronoun: `préférez-vous`. */
const HYPHEN =
  /(?<=\p{L})[-‐](?=\p{L})(?!(?:vous|nous|moi|toi|tu|ils?|elles?|on|je|ce|là|l[aeo]s?|leur)(?!\p{L}))/gu;

/** Single letters and numbers say nothing about a subject. */
const isMeaningful = (word: string) => /^.{2,}$/u.test(word) && /\p{L}/u.test(word);

/** Splits a text into sentences, each with its end mark, on one line. A link is never split. */
export function sentencesOf(text: string, language: Language): string[] {
  const { text: plain, restore } = protect(text);
  const segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
  return [...segmenter.segment(plain)]
    .map(({ segment }) => restore(segment.replace(/\s+/gu, ' ').trim()))
    .filter(sentence => sentence !== '');
}
