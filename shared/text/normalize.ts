/** Returns a text with LF line ends, without control characters except tab and line feed, lone surrogates replaced by U+FFFD. */
export function normalizeText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\t\n]/gu, '');
}

/** White space, controls, joiners, direction marks, fillers, variation selectors, the blank Braille pattern. */
const INVISIBLE = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** True where a text has no visible character. */
export function isBlank(text: string): boolean {
  return INVISIBLE.test(text);
}
