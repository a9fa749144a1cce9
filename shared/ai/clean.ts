import { normalizeText } from '../text/normalize.ts';
import { changeUnprotected } from './protect.ts';

/** More than any platform accepts; the rest is ignored. UTF-16 units. */
const MAX_LENGTH = 70_000;

/** Direction overrides, byte order marks, noncharacters and tags: no caption needs them. */
const HARMFUL = /[\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\uffff]|[\u{e0000}-\u{e007f}]/gu;

const ELEMENTS =
  'a b blockquote br code del div em font h[1-6] hr i img ins li mark ol p pre s script small span strong style sub sup table tbody td th thead tr u ul';
const ATTRIBUTE = `\\s{1,5}[a-z-]{1,40}\\s{0,5}=\\s{0,5}(?:"[^"<>]{0,500}"|'[^'<>]{0,500}'|[^\\s"'<>]{1,500})`;
const TAG = new RegExp(`</?(?:${ELEMENTS.replaceAll(' ', '|')})(?:${ATTRIBUTE}){0,10}\\s{0,5}/?>`, 'gi');
/** A placeholder of a link or another part that is set aside. */
const PART = '[\\u{f0000}-\\u{ffffd}]';

/** Markup that models write although they are told not to, with what remains of it. Links are set aside before. */
const MARKUP: readonly (readonly [RegExp, string])[] = [
  [/^[ \t]*```[^\n]*$/gm, ''],
  [new RegExp(`<a\\s{1,5}href=["']?(${PART})["']?\\s{0,5}>([^<>\\n]{1,500})</a>`, 'giu'), '$2 $1'],
  [new RegExp(`<(?:mailto:)?(${PART})>`, 'giu'), '$1'],
  [TAG, ''],
  [/^[ \t]{0,3}#{1,6}[ \t]+/gm, ''],
  [new RegExp(`!?\\[([^[\\]\\n]{1,500})\\]\\(<?(${PART})>?\\)`, 'gu'), '$1 $2'],
  [/\*\*([^*\n]{1,2000})\*\*/g, '$1'],
  [/(?<![\p{L}\p{N}_])__([^_\n]{1,2000})__(?![\p{L}\p{N}_])/gu, '$1'],
];

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#34': '"',
  '#38': '&',
  nbsp: ' ',
};

/** Replaces the HTML entities of punctuation by their characters. */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(amp|lt|gt|quot|apos|#39|#34|#38|nbsp);/g,
    (whole, name: string) => ENTITIES[name] ?? whole,
  );
}

/**
 * Returns a caption as plain text: normalized, without markup and invisible characters. What links, mail addresses, mentions
 * and hashtags consist of stays as it is.
 */
export function cleanText(text: string): string {
  const normalized = normalizeText(text.slice(0, MAX_LENGTH)).replace(HARMFUL, '').toWellFormed();
  return changeUnprotected(normalized, plain => {
    const bare = MARKUP.reduce(
      (result, [pattern, rest]) => result.replace(pattern, rest),
      plain.normalize('NFC'),
    );
    const lines = decodeEntities(bare)
      .split('\n')
      .map(line => line.trimEnd());
    return unquoted(
      lines
        .join('\n')
        .replace(/\n{3,}/g, '\n\n')
        .trim(),
    );
  });
}

/** Removes quotation marks around the whole text. */
function unquoted(text: string): string {
  const inner = /^["“”„«]([^"“”„«»]+)["“”»]$/u.exec(text)?.[1];
  return inner?.trim() ?? text;
}
