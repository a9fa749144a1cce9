import { createHash } from 'node:crypto';

/** A digest of a text by which similar texts are found. */
export interface Fingerprint {
  /** Lookup keys of 32 bits: the first is shared by equal texts, the others by similar ones. */
  keys: number[];
  /** The smallest hashes of the text's shingles, ascending: a MinHash sample of its content. */
  sketch: number[];
}

/** Code points of one shingle. */
const SHINGLE = 4;
const SKETCH_SIZE = 64;
/** Bands of minima: texts that share all minima of one band find each other (locality-sensitive hashing). */
const BANDS = 4;
const BAND_SIZE = 3;
/** UTF-16 units that are compared; the rest of a text is ignored. */
const MAX_UNITS = 10_000;

const TRACKING =
  /^(?:utm_\w+|fbclid|gclid|dclid|gbraid|wbraid|msclkid|mc_[ce]id|igshid|igsh|si|twclid|ttclid|li_fat_id|yclid|_hsenc|_hsmi|ref_src|ref_url|s_cid)$/i;

/**
 * Returns the fingerprint of a text. Case, white space, punctuation and the tracking parameters of URLs make no
 * difference. Null for a text without any other content.
 */
export function fingerprint(text: string): Fingerprint | null {
  const plain = comparable(text);
  if (plain === '') return null;
  const hashes = shingleHashes(plain);
  return { keys: [hashText(plain), ...bandKeys(hashes)], sketch: smallest(hashes) };
}

/** Returns the sketch of a text alone: without lookup keys, it takes a third of the time. Null as `fingerprint`. */
export function sketchOf(text: string): number[] | null {
  const plain = comparable(text);
  return plain === '' ? null : smallest(shingleHashes(plain));
}

const smallest = (hashes: ReadonlySet<number>) => [...hashes].sort((a, b) => a - b).slice(0, SKETCH_SIZE);

/** Returns the share of shingles that two texts have in common, 0 … 1: exact for short texts, an unbiased estimate for long ones. */
export function similarity(a: readonly number[], b: readonly number[]): number {
  const inA = new Set(a);
  const inB = new Set(b);
  const union = [...new Set([...a, ...b])].sort((x, y) => x - y).slice(0, SKETCH_SIZE);
  const common = union.filter(hash => inA.has(hash) && inB.has(hash));
  return union.length === 0 ? 0 : common.length / union.length;
}

/** Returns a text reduced to what is compared. */
export function comparable(text: string): string {
  return text
    .slice(0, 4 * MAX_UNITS)
    .replace(/https?:\/\/[^\s<>"]+/giu, withoutTracking)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\p{S}\p{Extended_Pictographic}]+/gu, ' ')
    .trim();
}

function withoutTracking(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  const kept = [...url.searchParams].filter(([name]) => !TRACKING.test(name)).map(pair => pair.join('='));
  return ` ${url.host.replace(/^www\./, '')}${url.pathname.replace(/\/$/, '')} ${kept.join(' ')} `;
}

/** Returns the hashes of all shingles of a text. */
function shingleHashes(text: string): ReadonlySet<number> {
  const points = Array.from(text.slice(0, MAX_UNITS), each => each.codePointAt(0) ?? 0);
  const hashes = new Set<number>();
  for (let start = 0; start === 0 || start + SHINGLE <= points.length; start += 1) {
    let hash = 0x811c9dc5;
    const end = Math.min(start + SHINGLE, points.length);
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (points[at] ?? 0), 0x01000193);
    hashes.add(mix(hash));
  }
  return hashes;
}

/** Returns one key per band, made of the smallest hashes under a few permutations (MinHash). */
function bandKeys(hashes: ReadonlySet<number>): number[] {
  const minima = Array.from({ length: BANDS * BAND_SIZE }, (_, index) => {
    const seed = Math.imul(index + 1, 0x9e3779b1);
    let least = 0xffffffff;
    for (const hash of hashes) least = Math.min(least, mix(hash ^ seed));
    return least;
  });
  return Array.from({ length: BANDS }, (_, band) =>
    hashText(`${band}:${minima.slice(band * BAND_SIZE, (band + 1) * BAND_SIZE).join(':')}`),
  );
}

/** Mixes the bits of a 32-bit number (the finaliser of MurmurHash3). */
function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const hashText = (text: string) => createHash('sha256').update(text).digest().readUInt32BE(0);
