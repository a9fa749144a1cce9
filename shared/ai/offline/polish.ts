import type { Language } from '../brief.ts';
import { decodeEntities } from '../clean.ts';
import { changeUnprotected, endsProtected } from '../protect.ts';

/** Typing errors and their corrections. */
const CORRECTIONS: readonly (readonly [RegExp, string])[] = [
  [/[^\S\n]+/gu, ' '],
  [/ ?\n ?/gu, '\n'],
  [/\n{3,}/gu, '\n\n'],
  [/([!?])\1+/gu, '$1'],
  [/\.{4,}/gu, '…'],
  [/ +([,.])(?=\s|$)/gu, '$1'],
  [/ +,(?=\p{L})/gu, ', '],
  [/([\p{Ll}])([,;!?])(?=\p{L}{2})/gu, '$1$2 '],
];

/** Words in capitals that follow each other. */
const CAPITALS = /(?<!\p{L})\p{Lu}{2,}(?: \p{Lu}{2,})*(?!\p{L})/gu;
/** Shorter words in capitals may be abbreviations. */
const SHOUTED = /^\p{Lu}{5,}(?: \p{Lu}{5,})*$/u;
/** A noun in lower case would be wrong in these languages. */
const CAPITAL_NOUNS: ReadonlySet<Language> = new Set(['de']);
/** The first letter of a sentence, unless it belongs to a name such as iPhone. A number may end with an ordinal's full stop. */
const SENTENCE_START = /(^|(?<![\p{N}\u{f0000}-\u{ffffd}])\.\s+|[!?…]\s+|\n)(\p{Ll})(?!\p{Ll}{0,20}\p{Lu})/gu;
/** Languages that end a sentence with a Latin full stop. */
const FULL_STOP: ReadonlySet<Language> = new Set(['en', 'tr', 'es', 'fr', 'de', 'pt', 'ko']);

/** Corrects spacing, punctuation and capitals. Links, mail addresses, mentions, hashtags and abbreviations stay as they are. */
export function polish(text: string, language: Language): string {
  return changeUnprotected(text.trim(), plain => {
    const capitalized = capitalize(correct(plain, language), language);
    const needsStop = FULL_STOP.has(language) && /[\p{L}\p{N}]$/u.test(capitalized);
    return needsStop && !endsProtected(capitalized) ? `${capitalized}.` : capitalized;
  });
}

/** Corrects a text like `polish` on one line; a single sentence or a noun gets no full stop: it stands as a headline. */
export function polishHeadline(text: string, language: Language): string {
  return changeUnprotected(text.replace(/\s+/gu, ' ').trim(), plain =>
    capitalize(correct(plain, language), language).replace(/[\s,:;、，：；]+$/u, ''),
  );
}

function correct(text: string, language: Language): string {
  const decoded = decodeEntities(text);
  const corrected = CORRECTIONS.reduce(
    (result, [pattern, better]) => result.replace(pattern, better),
    decoded,
  );
  if (CAPITAL_NOUNS.has(language)) return corrected;
  return corrected.replace(CAPITALS, words =>
    SHOUTED.test(words) ? words.toLocaleLowerCase(language) : words,
  );
}

const capitalize = (text: string, language: Language) =>
  text.replace(
    SENTENCE_START,
    (_, before: string, letter: string) => before + letter.toLocaleUpperCase(language),
  );
