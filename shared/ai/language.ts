import type { Language } from './brief.ts';

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

/**
 * Whether a text may be in a language, as far as its letters tell: languages that share a script are not told apart.
 * Links, mentions and hashtags do not count.
 */
export function mayBeIn(language: Language, text: string): boolean {
  const words = text.replace(/https?:\/\/\S+|[@#]\S+/gu, '');
  const letters = count(words, /\p{L}/gu);
  if (letters < FEWEST_LETTERS) return true;
  if (language === 'zh' && count(words, KANA) > letters * SMALLEST_SHARE) return false;
  return count(words, SCRIPTS[language] ?? LATIN) >= letters * SMALLEST_SHARE;
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
