/** Line ends become LF; control characters but tab and line feed go; half a surrogate pair becomes U+FFFD. */
export function normalizeText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\t\n]/gu, '');
}

/** White space, controls, joiners, direction marks, fillers, variation selectors, the blank Braille pattern. */
const INVISIBLE = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** True when nothing of the text could be seen. */
export function isBlank(text: string): boolean {
  return INVISIBLE.test(text);
}
