import type { Language } from '../brief.ts';
import { decodeEntities } from '../clean.ts';
import { likelyLatinLanguages } from '../language.ts';
import { changeUnprotected, endsProtected } from '../protect.ts';
import { withQuestionMark } from './question.ts';

/** Typing errors and their corrections. */
const CORRECTIONS: readonly (readonly [RegExp, string])[] = [
  [/[^\S\n]+/gu, ' '],
  [/ ?\n ?/gu, '\n'],
  [/\n{3,}/gu, '\n\n'],
  [/([!?！？؟。,،、])\1+/gu, '$1'],
  [/(?<!\.)\.\.(?!\.)/gu, '.'],
  [/\.{4,}/gu, '…'],
  [/ +([,.])(?=\s|$)/gu, '$1'],
  [/ +,(?=\p{L})/gu, ', '],
  [/([\p{Ll}])([,;!?])(?=\p{L}{2})/gu, '$1$2 '],
];

/** French sets these marks off by a space, which must not break the line. The text may be in another language. */
const SPACED_MARK = / ([!?:;]+)(?=\s|$)/gu;
const UNSPACED_MARK = /(?<=[\p{L}\p{N}»%€)])([!?]+)(?=\s|$)/gu;
/** The first letter of a sentence, unless it belongs to a name such as iPhone. A number may end with an ordinal's full stop. */
const SENTENCE_START =
  /(^[\p{Extended_Pictographic}\u200d\ufe0f ]*|(?<![\p{N}\u{f0000}-\u{ffffd}])\.\s+|[!?]\s+|\n)([¿¡"“„«]?)(\p{Ll})(?!\p{Ll}{0,20}\p{Lu})/gu;

const FULL_STOP: Readonly<Partial<Record<Language, string>>> = { ja: '。', zh: '。' };
/** Posts in these languages end without a full stop, unless their other sentences have one. */
const RARE_STOP: ReadonlySet<Language> = new Set(['ar', 'ja', 'zh']);

/**
 * Corrects spacing, punctuation and the first letters of sentences. Links, mail addresses, mentions, hashtags and
 * abbreviations stay as they are, and so do capitals: a word in capitals may be a name.
 */
export function polish(text: string, language: Language): string {
  return changeUnprotected(text.trim(), plain => {
    const capitalized = corrected(plain, language);
    return needsStop(capitalized, language) ? `${capitalized}${FULL_STOP[language] ?? '.'}` : capitalized;
  });
}

/** Corrects a text like `polish` on one line; a single sentence or a noun gets no full stop: it stands as a headline. */
export function polishHeadline(text: string, language: Language): string {
  return changeUnprotected(text.replace(/\s+/gu, ' ').trim(), plain =>
    corrected(plain, language).replace(/[\s,:;、，：；]+$/u, ''),
  );
}

function needsStop(text: string, language: Language): boolean {
  if (endsProtected(text) || !/[\p{L}\p{M}\p{N}]$/u.test(text)) return false;
  return !RARE_STOP.has(language) || /\.\s|[。！？]/u.test(text);
}

const corrected = (text: string, language: Language) =>
  withQuestionMark(capitalize(correct(text, language), language), language);

function correct(text: string, language: Language): string {
  const better = CORRECTIONS.reduce(
    (result, [pattern, replacement]) => result.replace(pattern, replacement),
    decodeEntities(text),
  );
  return language === 'fr' ? spacedMarks(better) : better;
}

function spacedMarks(text: string): string {
  const [language, ...others] = likelyLatinLanguages(text);
  const isFrench = language === 'fr' && others.length === 0;
  return (isFrench ? text.replace(UNSPACED_MARK, '\u00a0$1') : text).replace(SPACED_MARK, '\u00a0$1');
}

const capitalize = (text: string, language: Language) =>
  text.replace(
    SENTENCE_START,
    (_, before: string, mark: string, letter: string) => before + mark + letter.toLocaleUpperCase(language),
  );
