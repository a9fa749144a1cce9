import { LANGUAGES, type Language } from './brief.ts';
import { TABLES } from './offline/languages/index.ts';

/** Scripts in which a language is written; those without an entry are written in Latin letters. */
const SCRIPTS: Readonly<Partial<Record<Language, RegExp>>> = {
  ar: /\p{Script=Arabic}/gu,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  ko: /\p{Script=Hangul}/gu,
  zh: /\p{Script=Han}/gu,
};
const LATIN = /\p{Script=Latin}/gu;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;

/** Texts with fewer letters (a brand's name, an emoji) may be in any script. */
const FEWEST_LETTERS = 20;
/** Names and borrowed words take their share of a text. */
const SMALLEST_SHARE = 0.2;

/** Short words that only one of the languages in Latin letters has. They are in every text, whatever it is about. */
const OWN_WORDS = ownWords(LANGUAGES.filter(language => SCRIPTS[language] === undefined));

/** Own words of another language that tell: a quoted title or a slogan has fewer. */
const FEWEST_OWN_WORDS = 4;
/** How many times as many it must have as the language that was asked for. */
const CLEAR_LEAD = 3;

/**
 * Whether a text may be in a language, as far as its letters and its most common words tell. Short texts tell nothing.
 * Links, mentions and hashtags do not count.
 */
export function mayBeIn(language: Language, text: string): boolean {
  const words = text.replace(/https?:\/\/\S+|[@#]\S+/gu, '');
  return hasLettersOf(language, words) && !isPlainlyAnother(language, words);
}

function hasLettersOf(language: Language, words: string): boolean {
  const letters = count(words, /\p{L}/gu);
  if (letters < FEWEST_LETTERS) return true;
  if (language === 'zh' && count(words, KANA) > letters * SMALLEST_SHARE) return false;
  return count(words, SCRIPTS[language] ?? LATIN) >= letters * SMALLEST_SHARE;
}

/** Said of languages that share a script, by the words that no other of them has. */
function isPlainlyAnother(language: Language, text: string): boolean {
  const found = ownWordsIn(text);
  const most = Math.max(...found.values());
  return most >= FEWEST_OWN_WORDS && most >= CLEAR_LEAD * (found.get(language) ?? most);
}

/** Languages in Latin letters that a text may be in, as far as words that no other of them has occur in it. */
export function latinLanguagesOf(text: string): Language[] {
  const found = ownWordsIn(text);
  const most = Math.max(1, ...found.values());
  return [...found].filter(([, count]) => count === most).map(([language]) => language);
}

/** How many words of a text each language in Latin letters has for itself. */
function ownWordsIn(text: string): Map<Language, number> {
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  const found = (own: ReadonlySet<string>) => words.filter(word => own.has(word)).length;
  return new Map([...OWN_WORDS].map(([language, own]) => [language, found(own)]));
}

function ownWords(languages: readonly Language[]): ReadonlyMap<Language, ReadonlySet<string>> {
  const lists = languages.map(language => new Set(TABLES[language].stopwords.split(' ')));
  const isOwn = (word: string) => lists.filter(list => list.has(word)).length === 1;
  return new Map(
    languages.map((language, index) => [language, new Set([...(lists[index] ?? [])].filter(isOwn))]),
  );
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
