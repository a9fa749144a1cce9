import tlds from 'tlds' with { type: 'json' };
import { characterBefore } from './characters.ts';

/*
 * Finds links where X finds them (twitter-text), so that one text has the same links on every platform: beside the
 * punctuation and the letters of any script. A single pass over the text; the time is linear in its length.
 *
 * Two exceptions, for platforms that receive links explicitly: a link with a scheme needs no known top-level domain, and
 * a part of a path may be written in any script where it follows a separator (`/wiki/日本`).
 */

/** A link in a text; UTF-16 indices, `end` excluded. */
export interface Link {
  start: number;
  end: number;
  /** The link as written. */
  text: string;
  has_scheme: boolean;
}

const TLDS: ReadonlySet<string> = new Set(tlds);

const SCHEME = /https?:\/\//giu;
const HOST_CHARACTER = /[\p{L}\p{M}\p{N}_.-]/u;
/** Neither a link with a scheme nor a bare domain starts after these. */
const NOT_BEFORE = /[a-z0-9@＠$#＃]/iu;
/** A bare domain does not start after these either: it is part of something longer. */
const NOT_BEFORE_BARE = /[a-z0-9@＠$#＃_.\/-]/iu;
/** A top-level domain does not end before these. */
const NOT_AFTER_TLD = /[a-z0-9@+-]/iu;

const ACCENTED = '\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u024f\\u0300-\\u036f\\u1e00-\\u1eff';
const LATIN = `a-z0-9\\u0400-\\u04ff${ACCENTED}`;
/** Characters of which a domain without a scheme consists. */
const BARE_RUN = new RegExp(`[a-z0-9_.${ACCENTED}-]+`, 'giu');
const BARE_CHARACTER = new RegExp(`[a-z0-9_.${ACCENTED}-]`, 'iu');
const PATH_CHARACTER = new RegExp(`[${LATIN}!*';:=+,.$/%#[\\]\\-\\u2013_~@|&]`, 'iu');
const PATH_END = new RegExp(`[${LATIN}+\\-=_#/]`, 'iu');
const QUERY_CHARACTER = /[a-z0-9!?*'@();:&=+$\/%#[\]\-_.,~|]/iu;
const QUERY_END = /[a-z0-9\-_&=#\/]/iu;
const LETTER = /[\p{L}\p{M}\p{N}]/u;
/** Letters of any script may follow these in a path. */
const SEPARATOR = /[\/\-_=.~+]/u;
/** Pairs of parentheses inside each other. */
const MAX_DEPTH = 2;

/** Returns the links of a text in order; none overlaps another. */
export function findLinks(text: string): Link[] {
  const starts = [
    ...[...text.matchAll(SCHEME)].map(({ index, 0: scheme }) => ({ start: index, scheme: scheme.length })),
    ...[...text.matchAll(BARE_RUN)].map(({ index }) => ({ start: bareStart(text, index), scheme: 0 })),
  ].sort((a, b) => a.start - b.start || b.scheme - a.scheme);
  const links: Link[] = [];
  let from = 0;
  for (const { start, scheme } of starts) {
    if (start < from) continue;
    const end = scheme > 0 ? endWithScheme(text, start, scheme) : endOfBare(text, start);
    if (end === null) continue;
    links.push({ start, end, text: text.slice(start, end), has_scheme: scheme > 0 });
    from = end;
  }
  return links;
}

function endWithScheme(text: string, start: number, scheme: number): number | null {
  if (NOT_BEFORE.test(characterBefore(text, start))) return null;
  const host = start + scheme;
  const hostEnd = endOfHost(text, host, endOfRun(text, host, HOST_CHARACTER), true);
  return hostEnd === null ? null : endOfLink(text, hostEnd);
}

/** The Latin part of a domain that begins in another script is a domain by itself. */
const bareStart = (text: string, start: number) =>
  text.charAt(start) === '.' && LETTER.test(characterBefore(text, start)) ? start + 1 : start;

function endOfBare(text: string, start: number): number | null {
  const before = characterBefore(text, start);
  const continues = before === '.' && LETTER.test(characterBefore(text, start - 1));
  if ((NOT_BEFORE_BARE.test(before) && !continues) || /[_.-]/.test(text.charAt(start))) return null;
  const hostEnd = endOfHost(text, start, endOfRun(text, start, BARE_CHARACTER), false);
  return hostEnd === null ? null : endOfLink(text, hostEnd);
}

/** Returns where the longest host ends that starts at `start`; null where there is none before `runEnd`. */
function endOfHost(text: string, start: number, runEnd: number, hasScheme: boolean): number | null {
  let end: number | null = null;
  let labelStart = start;
  let previous = '';
  for (const label of text.slice(start, runEnd).split('.')) {
    if (label === '') break;
    const labelEnd = labelStart + label.length;
    const isDomain = previous !== '' && !previous.includes('_');
    const tldEnd = isDomain ? endOfTld(text, labelStart, labelEnd) : null;
    if (tldEnd !== null) end = tldEnd;
    if (tldEnd !== null && tldEnd < labelEnd) break;
    labelStart = labelEnd + 1;
    previous = label;
  }
  return end ?? (hasScheme ? endOfUnknownHost(text, start, runEnd) : null);
}

/** Returns where the top-level domain ends with which a label begins; null where it begins with none. */
function endOfTld(text: string, start: number, end: number): number | null {
  const label = text.slice(start, Math.min(end, start + MAX_TLD)).toLowerCase();
  if (end - start <= MAX_TLD && TLDS.has(label)) return isTldEnd(text, end) ? end : null;
  const ascii = /^[a-z]+/.exec(label)?.[0] ?? '';
  const asciiEnd = start + ascii.length;
  return TLDS.has(ascii) && isTldEnd(text, asciiEnd) ? asciiEnd : null;
}

/** Characters of the longest top-level domain. */
const MAX_TLD = Math.max(...tlds.map(({ length }) => length));

const isTldEnd = (text: string, end: number) => !NOT_AFTER_TLD.test(text.charAt(end));

/** A host with a scheme may be a name of a private network. */
function endOfUnknownHost(text: string, start: number, runEnd: number): number | null {
  const run = text.slice(start, Math.min(runEnd, start + MAX_HOST));
  const ascii = /^(?:[a-z0-9_-]+\.)+[a-z0-9]+|^localhost/i.exec(run)?.[0];
  const end = start + (ascii ?? '').length;
  return ascii !== undefined && isTldEnd(text, end) ? end : null;
}

/** Characters of the longest host name (RFC 1035). */
const MAX_HOST = 253;

/** Returns where a link ends whose host ends at `hostEnd`: after its port, path and query. */
function endOfLink(text: string, hostEnd: number): number {
  const port = /^:\d{1,5}/.exec(text.slice(hostEnd, hostEnd + 6))?.[0] ?? '';
  const afterPort = hostEnd + port.length;
  const afterPath = text.charAt(afterPort) === '/' ? endOfPath(text, afterPort) : afterPort;
  return text.charAt(afterPath) === '?' ? endOfQuery(text, afterPath) : afterPath;
}

/** Parentheses belong to a path in pairs: one that was opened before the link is not the link's. */
function endOfPath(text: string, start: number): number {
  let end = start + 1;
  let depth = 0;
  let previous = '/';
  for (let at = start + 1; at < text.length; at += previous.length) {
    const character = characterAt(text, at);
    const isPart = PATH_CHARACTER.test(character) || isForeignLetter(character, previous);
    if (character === '(' && depth < MAX_DEPTH) depth += 1;
    else if (character === ')' && depth > 0) depth -= 1;
    else if (!isPart) break;
    const isEnd = character === ')' || PATH_END.test(character) || !PATH_CHARACTER.test(character);
    if (depth === 0 && isEnd) end = at + character.length;
    previous = character;
  }
  return end;
}

/** A letter of another script belongs to a path where it begins a part of it, or continues such a part. */
const isForeignLetter = (character: string, previous: string) =>
  LETTER.test(character) &&
  (SEPARATOR.test(previous) || (LETTER.test(previous) && !PATH_CHARACTER.test(previous)));

function endOfQuery(text: string, start: number): number {
  let end = start;
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (!QUERY_CHARACTER.test(character)) break;
    if (QUERY_END.test(character)) end = at + 1;
  }
  return end;
}

function endOfRun(text: string, start: number, pattern: RegExp): number {
  let at = start;
  while (at < text.length) {
    const character = characterAt(text, at);
    if (!pattern.test(character)) break;
    at += character.length;
  }
  return at;
}

const characterAt = (text: string, index: number) => String.fromCodePoint(text.codePointAt(index) ?? 0);
