import { LANGUAGES, type Language } from './brief.ts';
import { TABLES } from './offline/languages/index.ts';

/** The scripts of languages that are not written in Latin letters. */
const SCRIPTS: Readonly<Partial<Record<Language, RegExp>>> = {
  ar: /\p{Script=Arabic}/gu,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  ko: /\p{Script=Hangul}/gu,
  zh: /\p{Script=Han}/gu,
};
const LATIN = /\p{Script=Latin}/gu;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;

/** Texts with fewer letters (a brand name, an emoji) may be in any script. */
const MIN_LETTERS = 20;
/** Smallest share of letters in the language's own script: names and loanwords take the rest. */
const MIN_SCRIPT_SHARE = 0.2;

/** Common short words that only one of the languages in Latin letters has, by language. */
const DISTINCTIVE_WORDS = distinctiveWords(LANGUAGES.filter(language => SCRIPTS[language] === undefined));

/** Distinctive words of another language that are needed as evidence: a quoted title or a slogan has fewer. */
const MIN_DISTINCTIVE_WORDS = 4;
/** How many times as many there must be as of the requested language. */
const CLEAR_LEAD = 3;

/**
 * Returns false when a text is clearly not in a language, judging by its letters and its most common words. Short texts
 * are always plausible. Links, mentions and hashtags are ignored.
 */
export function isPlausiblyIn(language: Language, text: string): boolean {
  const words = text.replace(/https?:\/\/\S+|[@#]\S+/gu, '');
  return hasScriptOf(language, words) && !isClearlyAnother(language, words);
}

function hasScriptOf(language: Language, words: string): boolean {
  const letters = count(words, /\p{L}/gu);
  if (letters < MIN_LETTERS) return true;
  if (language === 'zh' && count(words, KANA) > letters * MIN_SCRIPT_SHARE) return false;
  return count(words, SCRIPTS[language] ?? LATIN) >= letters * MIN_SCRIPT_SHARE;
}

/** Tells languages of the same script apart by their distinctive words. */
function isClearlyAnother(language: Language, text: string): boolean {
  const found = countDistinctiveWords(text);
  const most = Math.max(...found.values());
  return most >= MIN_DISTINCTIVE_WORDS && most >= CLEAR_LEAD * (found.get(language) ?? most);
}

/** Returns the languages in Latin letters that a text is most likely in; all of them where nothing points to one. */
export function likelyLatinLanguages(text: string): Language[] {
  const found = countDistinctiveWords(text);
  const most = Math.max(1, ...found.values());
  return [...found].filter(([, count]) => count === most).map(([language]) => language);
}

function countDistinctiveWords(text: string): Map<Language, number> {
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  const found = (own: ReadonlySet<string>) => words.filter(word => own.has(word)).length;
  return new Map([...DISTINCTIVE_WORDS].map(([language, own]) => [language, found(own)]));
}

function distinctiveWords(languages: readonly Language[]): ReadonlyMap<Language, ReadonlySet<string>> {
  const lists = languages.map(language => new Set(TABLES[language].stopwords.split(' ')));
  const isDistinctive = (word: string) => lists.filter(list => list.has(word)).length === 1;
  return new Map(
    languages.map((language, index) => [language, new Set([...(lists[index] ?? [])].filter(isDistinctive))]),
  );
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
