import { findLinks } from './links.ts';
import { fits as satisfies, type TextRule } from './measure.ts';

/** A part of a text that is never cut; UTF-16 indices, `end` excluded. */
export interface Span {
  start: number;
  end: number;
}

export interface TruncateOptions {
  /** Largest measure of the result, the ellipsis included. */
  limit: number;
  /**
   * The platform's measure. Where two limits apply, pass the one that is closer to its limit:
   * `text => Math.max(graphemes(text), utf8Bytes(text) / 10)`.
   */
  measure: (text: string) => number;
  /** Finds what must not be cut; default `findSpans`. */
  spans?: (text: string) => readonly Span[];
}

const ELLIPSIS = '…';
/** UTF-16 units measured first, and how far over its limit a prefix must be. */
const FIRST_PREFIX = 1024;
const CERTAINLY_OVER = 2;
/** A cut between words may drop this share of what would fit; beyond that, a word is cut. */
const WORD_COST = 0.25;

const TAGGED = /[@#$＠＃][\p{L}\p{N}\p{M}_.·-]+/giu;

/** Returns the links, mentions, hashtags and cashtags of a text. */
export function findSpans(text: string): Span[] {
  const tags = [...text.matchAll(TAGGED)].map(({ 0: tag, index }) => ({
    start: index,
    end: index + tag.length,
  }));
  return [...findLinks(text), ...tags];
}

/**
 * Returns the text itself where it fits, else its beginning and `…`: cut between words where that drops little, else
 * between graphemes, never inside a span. Empty where not even `…` fits.
 */
export function truncate(text: string, options: TruncateOptions): string {
  const { limit, measure, spans: find = findSpans } = options;
  const prefix = prefixOverLimit(text, limit, measure);
  if (prefix === null && measure(text) <= limit) return text;
  const head = prefix ?? text;
  const spans = find(head);
  const cutAt = (position: number) => shorten(head, position, spans);
  const fits = (position: number) => measure(cutAt(position)) <= limit;

  const cuts = cutPositions(head, spans);
  const longest = lastFitting(cuts, fits);
  if (longest === null) return '';
  const word = cuts.findLast(position => position <= longest && isWordEdge(head, position));
  const cheap = word !== undefined && word >= longest * (1 - WORD_COST);
  return cutAt(cheap && fits(word) ? word : longest);
}

/** Returns the text itself where it satisfies every rule, else truncated so that it does. */
export function cutToFit(text: string, rules: readonly TextRule[], spans?: TruncateOptions['spans']): string {
  if (rules.length === 0) return text;
  // The measure closest to its limit, as a share of the limit.
  const measure = (part: string) => Math.max(...rules.map(rule => rule.measure(part) / rule.limit));
  const cut = truncate(text, { limit: 1, measure, ...(spans ? { spans } : {}) });
  return satisfies(cut, rules) ? cut : '';
}

/** True where nothing but the ellipsis is left of a text: it begins with a span that does not fit. */
export function isCutToNothing(cut: string, text: string): boolean {
  return cut !== text && (cut === ELLIPSIS || cut === '');
}

/**
 * Returns a prefix that is certainly over the limit; null where the text is not that long. It lets callers decide about
 * a text without measuring what lies far beyond the limit. The last word of the prefix may be incomplete.
 */
export function prefixOverLimit(
  text: string,
  limit: number,
  measure: (text: string) => number,
): string | null {
  for (let length = FIRST_PREFIX; length < text.length; length *= 2) {
    const prefix = text.slice(0, length).toWellFormed();
    if (measure(prefix) > limit * CERTAINLY_OVER) return prefix;
  }
  return null;
}

/** Returns where the text may be cut: between graphemes, outside spans; ascending. */
function cutPositions(text: string, spans: readonly Span[]): number[] {
  const inside = new Set<number>();
  for (const { start, end } of spans) for (let at = start + 1; at < end; at += 1) inside.add(at);
  return [...graphemesOf(text)].map(({ index }) => index).filter(position => !inside.has(position));
}

/** Made at the first cut, because it takes 15 ms. */
let segmenter: Intl.Segmenter | null = null;

function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** A space separates the ellipsis from a link that ends there. */
function shorten(text: string, position: number, spans: readonly Span[]): string {
  const kept = text.slice(0, position).trimEnd();
  return spans.some(({ end }) => end === kept.length) ? `${kept} ${ELLIPSIS}` : `${kept}${ELLIPSIS}`;
}

/** Bisection: measures grow with the text, apart from small steps where a link becomes one. */
function lastFitting(cuts: readonly number[], fits: (position: number) => boolean): number | null {
  let best: number | null = null;
  let low = 0;
  let high = cuts.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const position = cuts[middle] ?? 0;
    if (fits(position)) {
      best = position;
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return best;
}

function isWordEdge(text: string, position: number): boolean {
  return /\s/.test(text.charAt(position)) || /\s/.test(text.charAt(position - 1));
}
