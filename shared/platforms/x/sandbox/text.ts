import tlds from 'tlds' with { type: 'json' };

/*
 * An independent implementation of the published configuration (version 3), not the library that the service uses, so that
 * tests detect when the two differ.
 */

const LIGHT: readonly (readonly [number, number])[] = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
];
const URL_WEIGHT = 23;
/** Signs that X counts together with a variation selector although they are emoji without one. */
const SELECTABLE = '⌚⌛☔☕♈♉♊♋♌♍♎♏♐♑♒♓♿⚓⚡⚪⚫⚽⚾⛄⛅⛔⛪⛲⛳⛵⛺⛽❗⬛⬜⭐⭕◽◾🀄🈚🈯🫰';
/** With text presentation by default (©, ®), a character is an emoji only with a variation selector or skin tone. */
const EMOJI = new RegExp(
  [
    `[${SELECTABLE}]\\ufe0f`,
    '\\p{RGI_Emoji}',
    '\\p{Emoji_Presentation}',
    '\\p{Extended_Pictographic}(?:\\ufe0f|[🏻-🏿])',
    '[0-9#*]\\u20e3',
    '👁\\u200d🗨',
  ].join('|'),
  'gv',
);

const suffixes = new Set(tlds);
const CANDIDATE =
  /(https?:\/\/)?((?:[\p{L}\p{N}](?:[\p{L}\p{N}_-]*[\p{L}\p{N}])?\.)+[\p{L}]{2,})(?![0-9a-z@])(:\d+)?(\/[^\s\u3000-\u303f\uff00-\uffef…]*|\?[^\s…]*)?/giu;
const NOT_BEFORE = /[\p{L}\p{N}@＠$#＃./_-]$/u;

export interface FoundUrl {
  start: number;
  end: number;
  url: string;
  expanded: string;
}

/** Finds URLs with http(s) and bare domains with a known top-level domain, without trailing punctuation. */
export function findUrls(text: string): FoundUrl[] {
  return [...text.matchAll(CANDIDATE)].flatMap(({ 0: match, 1: scheme, 2: domain = '', index }) => {
    if (NOT_BEFORE.test(text.slice(0, index))) return [];
    const ascii = scheme === undefined ? (domain.match(/[\x00-\x7f]+$/)?.[0] ?? '') : domain;
    if (!suffixes.has(ascii.split('.').at(-1)!.toLowerCase()) || !ascii.includes('.')) return [];
    const lead = domain.length - ascii.length;
    const url = match.slice(lead).replace(/[.,:;!?'")\]}]+$/, '');
    if (text[index + match.length] === '@') return [];
    const expanded = scheme === undefined ? `http://${url}` : url;
    return [{ start: index + lead, end: index + lead + url.length, url, expanded }];
  });
}

/** An emoji counts 2, whatever sequence it is; joiners and marks that belong to none count on their own. */
function weightOf(text: string): number {
  let emoji = 0;
  const rest = text.replace(EMOJI, () => {
    emoji += 1;
    return '';
  });
  return Array.from(rest).reduce((sum, character) => {
    const point = character.codePointAt(0)!;
    return sum + (LIGHT.some(([from, to]) => from <= point && point <= to) ? 1 : 2);
  }, 2 * emoji);
}

/** Weighted length of a text. */
export function countWeight(text: string): number {
  const normal = text.normalize('NFC');
  const urls = findUrls(normal);
  const rest = urls.reduceRight(
    (left, { start, end }) => `${left.slice(0, start)}\n${left.slice(end)}`,
    normal,
  );
  return weightOf(rest) + urls.length * (URL_WEIGHT - 1);
}

/** A cashtag begins after white space and ends before white space or punctuation. */
const CASHTAG = /(?<!\S)\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?=$|[\s!'#%&()*+,\\\-./:;<=>?@[\]^_{|}~$])/gi;

/** Number of cashtags; one that occurs twice counts twice. */
export function countCashtags(text: string): number {
  return [...text.matchAll(CASHTAG)].length;
}

export function hasForbidden(text: string): boolean {
  return /[\ufffe\ufeff\uffff]/.test(text);
}
