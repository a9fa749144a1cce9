import { findOrganization, organizationIn } from './state.ts';

/*
 * LinkedIn's reading of its markup, independent of the service's writer, so that tests detect when the two differ: elements
 * and escapes are rendered; an unescaped reserved character cuts the text off.
 */

export interface Rendered {
  text: string;
  /** Index of the unescaped reserved character at which the text was cut; null where there is none. */
  cut_at: number | null;
}

const RESERVED = '\\|{}@[]()<>#*_~';
const ESCAPED = String.raw`\\[\\|{}@\[\]()<>#*_~]`;
/** Parts of a text at one position, and what readers see of each. */
const RULES: readonly [RegExp, (match: RegExpExecArray) => string | null][] = [
  [
    new RegExp(String.raw`\{hashtag\|\\#\|((?:[\p{L}\p{M}\p{N}]|\\_)+)\}`, 'uy'),
    ([, word]) => `#${unescape(word)}`,
  ],
  [
    new RegExp(
      String.raw`@\[((?:[^\\|{}@\[\]()<>#*_~]|${ESCAPED})+)\]\((urn:li:(?:organization|person):[\w-]+)\)`,
      'uy',
    ),
    ([, name]) => unescape(name),
  ],
  [new RegExp(ESCAPED, 'uy'), ([escape]) => escape.slice(1)],
  [
    /#((?:[\p{L}\p{M}\p{N}]|\\_)+)/uy,
    ([, word]) => (/\p{L}/u.test(word ?? '') ? `#${unescape(word)}` : null),
  ],
];

export function renderLittleText(commentary: string): Rendered {
  let text = '';
  let at = 0;
  while (at < commentary.length) {
    const found = elementAt(commentary, at);
    if (found) {
      text += found.text;
      at = found.end;
      continue;
    }
    const character = String.fromCodePoint(commentary.codePointAt(at) ?? 0);
    if (RESERVED.includes(character)) return { text: text.trimEnd(), cut_at: at };
    text += character;
    at += character.length;
  }
  return { text, cut_at: null };
}

function elementAt(commentary: string, at: number): { text: string; end: number } | null {
  for (const [rule, show] of RULES) {
    rule.lastIndex = at;
    const match = rule.exec(commentary);
    const text = match && show(match);
    if (match && text !== null) return { text, end: at + match[0].length };
  }
  return null;
}

const unescape = (text = '') => text.replace(/\\(.)/gu, '$1');

/** A mention links only where its text is the name of the organization. Returns the URNs that are linked. */
export function mentionedUrns(commentary: string): string[] {
  const mention = /(?<!\\)@\[((?:[^\\\]]|\\.)+)\]\((urn:li:(?:organization|person):[\w-]+)\)/gu;
  return [...commentary.matchAll(mention)].flatMap(([, name, urn = '']) => {
    const id = organizationIn(urn);
    return id === null || findOrganization(id)?.name === unescape(name) ? [urn] : [];
  });
}
