import tlds from 'tlds' with { type: 'json' };
import { countGraphemes } from 'unicode-segmenter/grapheme';
import { findLinks } from '../../text/links.ts';
import { withoutTrailing } from '../../text/trim.ts';

/**
 * A link, mention or tag in a text. The server detects nothing itself: text without a facet stays plain. Offsets are
 * UTF-8 bytes, the end excluded (lexicon `app.bsky.richtext.facet`).
 */
export type Facet = { index: { byteStart: number; byteEnd: number }; features: Feature[] };
export type Feature =
  | { $type: 'app.bsky.richtext.facet#link'; uri: string }
  | { $type: 'app.bsky.richtext.facet#mention'; did: string }
  | { $type: 'app.bsky.richtext.facet#tag'; tag: string };

/** A facet before mentions are resolved; UTF-16 indices. */
interface Find {
  start: number;
  end: number;
  kind: 'link' | 'mention' | 'tag';
  /** The URI, the handle, or the tag. */
  value: string;
}

const TLDS: ReadonlySet<string> = new Set(tlds);

const MENTION_PATTERN = /(?<![^\s(])@[a-z0-9.-]+/giu;
/** Not the keycap `#️⃣`, and no further than an invisible character. */
const TAG_PATTERN = /(?<!\S)[#＃](?!\ufe0f)[^\s\u00ad\u2060\u200a-\u200d\u20e2]+/gu;
const CASHTAG_PATTERN = /(?<![^\s(])\$[a-z][a-z0-9]{0,4}(?=[\s.,;:!?)"'\u2019]|$)/giu;

const TAG_GRAPHEMES = 64;
const TAG_BYTES = 640;

/**
 * Returns the facets of a text in order, none overlapping another. The text must be final: any later change shifts the
 * offsets. A mention for which `resolve` returns null gets no facet.
 */
export async function detectFacets(
  text: string,
  resolve: (handle: string) => Promise<string | null>,
): Promise<Facet[]> {
  const finds = findAll(text);
  const handles = [...new Set(finds.filter(({ kind }) => kind === 'mention').map(({ value }) => value))];
  const ranges = byteRanges(text, finds);
  const dids = new Map(await Promise.all(handles.map(async each => [each, await resolve(each)] as const)));
  return finds.flatMap((find, index) => {
    const feature = featureOf(find, dids);
    const range = ranges[index];
    return feature && range ? [{ index: range, features: [feature] }] : [];
  });
}

/** Returns the first link of a text, which its link card shows; null where there is none. */
export function firstLink(facets: readonly Facet[]): string | null {
  for (const feature of facets.flatMap(({ features }) => features)) {
    if (feature.$type === 'app.bsky.richtext.facet#link') return feature.uri;
  }
  return null;
}

function findAll(text: string): Find[] {
  const finds = [...findLinkFacets(text), ...findMentions(text), ...findTags(text), ...findCashtags(text)];
  return withoutOverlaps(finds.toSorted((one, other) => one.start - other.start));
}

function findLinkFacets(text: string): Find[] {
  return findLinks(text).flatMap(({ start, end, text: shown, has_scheme }) => {
    const url = has_scheme ? shown : `https://${shown}`;
    if (!URL.canParse(url)) return [];
    // A URI is ASCII; one that is stays as it was written.
    const value = /^[!-~]+$/.test(url) ? url : new URL(url).href;
    return [{ start, end, kind: 'link' as const, value }];
  });
}

function findMentions(text: string): Find[] {
  return matches(text, MENTION_PATTERN)
    .map(({ start, value }) => ({ start, value: withoutTrailing(value.slice(1), /[.-]/) }))
    .filter(({ value }) => isHandle(value))
    .map(({ start, value }) => ({
      start,
      end: start + 1 + value.length,
      kind: 'mention',
      value: value.toLowerCase(),
    }));
}

function findTags(text: string): Find[] {
  return matches(text, TAG_PATTERN)
    .map(({ start, value }) => ({ start, value: withoutTrailing(value.slice(1), /\p{P}/u) }))
    .filter(({ value }) => /[^\d\p{P}]/u.test(value) && isShortTag(value))
    .map(({ start, value }) => ({ start, end: start + 1 + value.length, kind: 'tag', value }));
}

/** A cashtag is a tag whose name keeps the `$`. */
function findCashtags(text: string): Find[] {
  return matches(text, CASHTAG_PATTERN).map(({ start, value }) => ({
    start,
    end: start + value.length,
    kind: 'tag',
    value: value.toUpperCase(),
  }));
}

interface Match {
  start: number;
  value: string;
}

function matches(text: string, pattern: RegExp): Match[] {
  return [...text.matchAll(pattern)].map(({ 0: value, index }) => ({ start: index, value }));
}

function hasKnownTld(host: string): boolean {
  return TLDS.has(host.slice(host.lastIndexOf('.') + 1).toLowerCase());
}

/** https://atproto.com/specs/handle; `.test` is for development servers. */
function isHandle(text: string): boolean {
  const labels = text.split('.');
  const valid = labels.every(label => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(label));
  return labels.length > 1 && text.length <= 253 && valid && (hasKnownTld(text) || /\.test$/i.test(text));
}

function isShortTag(tag: string): boolean {
  return Buffer.byteLength(tag) <= TAG_BYTES && countGraphemes(tag) <= TAG_GRAPHEMES;
}

function withoutOverlaps(sorted: readonly Find[]): Find[] {
  const kept: Find[] = [];
  for (const find of sorted) {
    if (find.start >= (kept.at(-1)?.end ?? 0)) kept.push(find);
  }
  return kept;
}

function featureOf({ kind, value }: Find, dids: ReadonlyMap<string, string | null>): Feature | null {
  if (kind === 'link') return { $type: 'app.bsky.richtext.facet#link', uri: value };
  if (kind === 'tag') return { $type: 'app.bsky.richtext.facet#tag', tag: value };
  const did = dids.get(value) ?? null;
  return did === null ? null : { $type: 'app.bsky.richtext.facet#mention', did };
}

/** Returns the byte range of each find. The finds are in order, so the text is measured once. */
function byteRanges(text: string, finds: readonly Find[]): Facet['index'][] {
  let at = 0;
  let bytes = 0;
  return finds.map(({ start, end }) => {
    const byteStart = bytes + Buffer.byteLength(text.slice(at, start));
    const byteEnd = byteStart + Buffer.byteLength(text.slice(start, end));
    [at, bytes] = [end, byteEnd];
    return { byteStart, byteEnd };
  });
}
