import type { Language } from '../brief.ts';

/** Endings and beginnings that make a question of a sentence without its mark. */
const UNMARKED: Readonly<Partial<Record<Language, RegExp>>> = {
  ar: /^هل /u,
  ja: /(?:です|ます|ました|でした|ません|でしょう)か。?$/u,
  ko: /(?:니까|나요|까요)\.?$/u,
  tr: / m[ıiuü](?:s[ıi]n(?:[ıi]z)?|y[ıi]z)?\.?$/u,
  zh: /吗。?$/u,
};

/** Question marks of languages whose questions are recognized without one; Japanese needs none after か. */
const MARKS: Readonly<Partial<Record<Language, string>>> = { ar: '؟', ko: '?', tr: '?', zh: '？' };

/** Adds the question mark that a question lacks. */
export function withQuestionMark(text: string, language: Language): string {
  const mark = MARKS[language];
  const lacksMark = /[\p{L}\p{M}\p{N}]$/u.test(text) && isQuestion(text, language);
  return mark !== undefined && lacksMark ? `${text}${mark}` : text;
}

/** True for a text whose last sentence is a question. */
export const isQuestion = (text: string, language: Language): boolean =>
  /[?？؟][^\p{L}\p{N}]*$/u.test(text) || (UNMARKED[language]?.test(text) ?? false);
