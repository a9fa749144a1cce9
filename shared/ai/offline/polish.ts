import type { Language } from '../brief.ts';

/** What hurried typing leaves behind, and what stands there instead. Links are left alone. */
const SLIPS: readonly (readonly [RegExp, string])[] = [
  [/[^\S\n]+/gu, ' '],
  [/ ?\n ?/gu, '\n'],
  [/\n{3,}/gu, '\n\n'],
  [/([!?])\1+/gu, '$1'],
  [/\.{4,}/gu, '…'],
  [/ +([,.])(?=\s|$)/gu, '$1'],
  [/ +,(?=\p{L})/gu, ', '],
  [/([\p{Ll}])([,;!?])(?=\p{L}{2})/gu, '$1$2 '],
];

const LINK = /(https?:\/\/\S+)/u;
/** Words that are shouted: that many capitals and more; shorter ones are abbreviations. */
const SHOUTED = /(?<!\p{L})\p{Lu}{5,}(?!\p{L})/gu;
const SENTENCE_START = /(^|[.!?…]\s+|\n)(\p{Ll})/gu;
/** Languages that end a sentence with a full stop of the Latin kind. */
const FULL_STOP: readonly Language[] = ['en', 'tr', 'es', 'fr', 'de', 'pt', 'ko'];

/** A text without slips of spacing, punctuation and capitals. What it says stays as it is. */
export function polish(text: string, language: Language): string {
  const parts = text.trim().split(LINK);
  const mended = parts.map((part, index) => (index % 2 === 1 ? part : mend(part, language))).join('');
  const started = mended.replace(
    SENTENCE_START,
    (_, before: string, letter: string) => before + letter.toLocaleUpperCase(language),
  );
  return FULL_STOP.includes(language) && /[\p{L}\p{N}]$/u.test(started) && !endsInLink(parts)
    ? `${started}.`
    : started;
}

function mend(text: string, language: Language): string {
  const spaced = SLIPS.reduce((result, [pattern, better]) => result.replace(pattern, better), text);
  return spaced.replace(SHOUTED, word => word.toLocaleLowerCase(language));
}

const endsInLink = (parts: readonly string[]) => parts.length > 1 && parts.at(-1)?.trim() === '';
