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
  /** What must not be cut in two; default `findSpans(text)`. */
  spans?: readonly Span[];
}

const ELLIPSIS = '…';
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
  const { limit, measure, spans = findSpans(text) } = options;
  if (measure(text) <= limit) return text;
  const cutAt = (position: number) => shorten(text, position, spans);
  const fits = (position: number) => measure(cutAt(position)) <= limit;

  const cuts = cutPositions(text, spans);
  const longest = lastFitting(cuts, fits);
  if (longest === null) return '';
  const word = cuts.findLast(position => position <= longest && isWordEdge(text, position));
  const cheap = word !== undefined && word >= longest * (1 - WORD_COST);
  return cutAt(cheap && fits(word) ? word : longest);
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
