import { normalizeText } from '../text/normalize.ts';

/** More than any platform takes. What lies beyond is not even looked at. */
const LONGEST = 70_000;

/** What no caption needs: directions that overturn the text around them, marks of byte order, noncharacters. */
const HARMFUL = /[\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\uffff]|[\u{e0000}-\u{e007f}]/gu;

/** Markup that models write although they are told not to, with what remains of it. */
const MARKUP: readonly (readonly [RegExp, string])[] = [
  [/^[ \t]*```[^\n]*$/gm, ''],
  [/<\/?[a-z][^<>\n]{0,500}>/gi, ''],
  [/^[ \t]{0,3}#{1,6}[ \t]+/gm, ''],
  [/!?\[([^[\]\n]{1,500})\]\((https?:\/\/[^()\s]{1,2000})\)/g, '$1 $2'],
  [/\*\*([^*\n]{1,2000})\*\*/g, '$1'],
  [/(?<![\p{L}\p{N}_])__([^_\n]{1,2000})__(?![\p{L}\p{N}_])/gu, '$1'],
];

/** A caption as plain text: normalised, composed, without markup and signs that nobody sees. */
export function cleanText(text: string): string {
  const plain = normalizeText(text.slice(0, LONGEST)).replace(HARMFUL, '').normalize('NFC');
  const bare = MARKUP.reduce((result, [pattern, rest]) => result.replace(pattern, rest), plain);
  const lines = bare.split('\n').map(line => line.trimEnd());
  return unquoted(
    lines
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  );
}

/** A model likes to put the whole in quotation marks. */
function unquoted(text: string): string {
  const inner = /^["“”„«]([^"“”„«»]+)["“”»]$/u.exec(text)?.[1];
  return inner?.trim() ?? text;
}
