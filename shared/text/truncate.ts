import { fits as satisfies, type TextRule } from './measure.ts';

/** A part of a text that must stay whole; UTF-16 indices, `end` excluded. */
export interface Span {
  start: number;
  end: number;
}

export interface TruncateOptions {
  /** Largest measure of the answer, the mark of omission included. */
  limit: number;
  /**
   * The platform's count. Where two limits hold, give the one that is nearer:
   * `text => Math.max(graphemes(text), utf8Bytes(text) / 10)`.
   */
  measure: (text: string) => number;
  /** Finds what must not be cut in two; default `findSpans`. */
  spans?: (text: string) => readonly Span[];
}

const ELLIPSIS = '…';
/** UTF-16 units to look at first, and how far over its limit a beginning must be. */
const FIRST_LOOK = 1024;
const CERTAINLY_OVER = 2;
/** A cut at a word may cost this share of what would fit; beyond it a word is cut. */
const WORD_COST = 0.25;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const LINKED = [
  /\b(?:https?:\/\/|www\.)\S+/giu,
  /\b[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:[/?#]\S*)?/giu,
  /[@#$＠＃][\p{L}\p{N}\p{M}_.·-]+/giu,
];

/** URLs, bare domains, mentions, hashtags and cashtags, generously taken: rather too much is kept whole. */
export function findSpans(text: string): Span[] {
  return LINKED.flatMap(pattern => [...text.matchAll(pattern)]).map(({ 0: match, index }) => ({
    start: index,
    end: index + match.length,
  }));
}

/**
 * The text itself where it fits, else its beginning and `…`, cut at a word where that costs little, else between two
 * graphemes; never inside a span. Empty when not even `…` fits.
 */
export function truncate(text: string, options: TruncateOptions): string {
  const { limit, measure, spans: find = findSpans } = options;
  const head = beginning(text, limit, measure);
  if (head.length === text.length && measure(text) <= limit) return text;
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

/** The text itself where it satisfies every rule, else cut as `truncate` cuts, so that it does. */
export function cutToFit(text: string, rules: readonly TextRule[], spans?: TruncateOptions['spans']): string {
  if (rules.length === 0) return text;
  // The share of the limit that is nearest.
  const measure = (part: string) => Math.max(...rules.map(rule => rule.measure(part) / rule.limit));
  const cut = truncate(text, { limit: 1, measure, ...(spans ? { spans } : {}) });
  return satisfies(cut, rules) ? cut : '';
}

/** True for a cut that left nothing of a text but the mark: what it begins with may not be cut, and is too long. */
export function saysNothing(cut: string, text: string): boolean {
  return cut !== text && (cut === ELLIPSIS || cut === '');
}

/**
 * A beginning that is certainly too long, or the whole text: where to cut, and whether to, is found without looking at
 * what lies far beyond, however long that is. Its last word may be cut in two, and is beyond every fitting cut.
 */
export function beginning(text: string, limit: number, measure: (text: string) => number): string {
  for (let length = FIRST_LOOK; length < text.length; length *= 2) {
    const head = text.slice(0, length).toWellFormed();
    if (measure(head) > limit * CERTAINLY_OVER) return head;
  }
  return text;
}

/** Where the text may end: between graphemes, outside spans; ascending. */
function cutPositions(text: string, spans: readonly Span[]): number[] {
  const inside = new Set<number>();
  for (const { start, end } of spans) for (let at = start + 1; at < end; at += 1) inside.add(at);
  return [...graphemes.segment(text)].map(({ index }) => index).filter(position => !inside.has(position));
}

/** A space keeps the mark out of a link that ends just there. */
function shorten(text: string, position: number, spans: readonly Span[]): string {
  const kept = text.slice(0, position).trimEnd();
  return spans.some(({ end }) => end === kept.length) ? `${kept} ${ELLIPSIS}` : `${kept}${ELLIPSIS}`;
}

/** Bisection: measures grow with the text, apart from small steps where a link begins to be one. */
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
