import tlds from 'tlds' with { type: 'json' };
import { countGraphemes } from 'unicode-segmenter/grapheme';

/**
 * A stretch of the text with a meaning. The server finds nothing itself: what has no facet stays plain text.
 * Offsets are UTF-8 bytes, the end excluded (lexicon `app.bsky.richtext.facet`).
 */
export type Facet = { index: { byteStart: number; byteEnd: number }; features: Feature[] };
export type Feature =
  | { $type: 'app.bsky.richtext.facet#link'; uri: string }
  | { $type: 'app.bsky.richtext.facet#mention'; did: string }
  | { $type: 'app.bsky.richtext.facet#tag'; tag: string };

/** A find before mentions are resolved; UTF-16 indices. */
interface Find {
  start: number;
  end: number;
  kind: 'link' | 'mention' | 'tag';
  /** The URI, the handle, or the tag. */
  value: string;
}

const TLDS: ReadonlySet<string> = new Set(tlds);

const URL_PATTERN = /(?<![\p{L}\p{N}_@#/.:=&?-])https?:\/\/\S+/giu;
const DOMAIN_PATTERN =
  /(?<![^\s(])[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+(?::\d{1,5})?(?:[/?#]\S*)?(?![\p{L}\p{N}_@-])/giu;
const MENTION_PATTERN = /(?<![^\s(])@[a-z0-9.-]+/giu;
/** Not `#️⃣`, and no further than a character that nobody sees. */
const TAG_PATTERN = /(?<!\S)[#＃](?!\ufe0f)[^\s\u00ad\u2060\u200a-\u200d\u20e2]+/gu;
const CASHTAG_PATTERN = /(?<![^\s(])\$[a-z][a-z0-9]{0,4}(?=[\s.,;:!?)"'\u2019]|$)/giu;

const TAG_GRAPHEMES = 64;
const TAG_BYTES = 640;

/**
 * All facets of a text, sorted, none overlapping another. Must be given the final text: every later change of it would
 * shift the offsets. A mention that `resolve` answers null for gets no facet.
 */
export async function detectFacets(
  text: string,
  resolve: (handle: string) => Promise<string | null>,
): Promise<Facet[]> {
  const finds = findAll(text);
  const handles = [...new Set(finds.filter(({ kind }) => kind === 'mention').map(({ value }) => value))];
  const dids = new Map(await Promise.all(handles.map(async each => [each, await resolve(each)] as const)));
  return finds.flatMap(find => {
    const feature = featureOf(find, dids);
    return feature ? [{ index: byteRange(text, find), features: [feature] }] : [];
  });
}

/** The first web address of a text: what a link card shows. */
export function firstLink(facets: readonly Facet[]): string | null {
  for (const feature of facets.flatMap(({ features }) => features)) {
    if (feature.$type === 'app.bsky.richtext.facet#link') return feature.uri;
  }
  return null;
}

function findAll(text: string): Find[] {
  const finds = [...findLinks(text), ...findMentions(text), ...findTags(text), ...findCashtags(text)];
  return withoutOverlaps(finds.toSorted((one, other) => one.start - other.start));
}

function findLinks(text: string): Find[] {
  const urls = matches(text, URL_PATTERN).map(found => withoutTail(found));
  const domains = matches(text, DOMAIN_PATTERN).map(found => withoutTail(found));
  return [
    ...urls.map(({ start, value }) => link(start, value, value)),
    ...domains
      .filter(({ value }) => hasKnownTld(hostOf(value)))
      .map(({ start, value }) => link(start, value, `https://${value}`)),
  ].filter(find => find !== null);
}

function link(start: number, shown: string, url: string): Find | null {
  if (!URL.canParse(url)) return null;
  const { href } = new URL(url);
  // A URI is ASCII; one that is stays as it was written.
  const uri = /^[!-~]+$/.test(url) ? url : href;
  return { start, end: start + shown.length, kind: 'link', value: uri };
}

function findMentions(text: string): Find[] {
  return matches(text, MENTION_PATTERN)
    .map(({ start, value }) => ({ start, value: value.slice(1).replace(/[.-]+$/, '') }))
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
    .map(({ start, value }) => ({ start, value: value.slice(1).replace(/\p{P}+$/u, '') }))
    .filter(({ value }) => /[^\d\p{P}]/u.test(value) && isShortTag(value))
    .map(({ start, value }) => ({ start, end: start + 1 + value.length, kind: 'tag', value }));
}

/** `$TSLA` is a tag of its own kind, told by the sign that stays in its name. */
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

/** A sentence's punctuation after a link is not the link's, nor is a bracket that was opened before it. */
function withoutTail({ start, value }: Match): Match {
  const kept = value.replace(/[.,;:!?"'”’»」…]+$/u, '');
  const unmatched = kept.endsWith(')') && count(kept, ')') > count(kept, '(');
  const next = unmatched ? kept.slice(0, -1) : kept;
  return next === value ? { start, value } : withoutTail({ start, value: next });
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

function hostOf(address: string): string {
  return address.replace(/[:/?#].*$/su, '').toLowerCase();
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

function byteRange(text: string, { start, end }: Find): Facet['index'] {
  const byteStart = Buffer.byteLength(text.slice(0, start));
  return { byteStart, byteEnd: byteStart + Buffer.byteLength(text.slice(start, end)) };
}
