import { createHash } from 'node:crypto';

/** What is kept of a text to find others like it. */
export interface Fingerprint {
  /** Keys under which texts like this one are found: one for equal texts, the others for near ones. */
  keys: string[];
  /** The smallest hashes of the text's pieces, ascending: a fair sample of what it says. */
  sketch: number[];
}

/** Code points of one piece of text. */
const PIECE = 4;
const SKETCH_SIZE = 64;
/** Groups of minima; texts that agree on all of one group find each other. */
const GROUPS = 4;
const GROUP_SIZE = 3;
/** What lies behind this many code points does not count. */
const MOST = 10_000;

const TRACKING =
  /^(?:utm_\w+|fbclid|gclid|dclid|gbraid|wbraid|msclkid|mc_[ce]id|igshid|igsh|si|twclid|ttclid|li_fat_id|yclid|_hsenc|_hsmi|ref_src|ref_url|s_cid)$/i;

/**
 * The fingerprint of a text, by what it says: case, white space, punctuation and the tracking parameters of URLs do
 * not count. Null for a text of which nothing is left.
 */
export function fingerprint(text: string): Fingerprint | null {
  const plain = comparable(text);
  if (plain === '') return null;
  const hashes = pieceHashes(plain);
  return {
    keys: [hashText(plain), ...groupKeys(hashes)],
    sketch: [...hashes].sort((a, b) => a - b).slice(0, SKETCH_SIZE),
  };
}

/** The share of pieces that two texts have in common, 0 … 1: exact for short texts, a fair estimate for long ones. */
export function similarity(a: readonly number[], b: readonly number[]): number {
  const inA = new Set(a);
  const inB = new Set(b);
  const union = [...new Set([...a, ...b])].sort((x, y) => x - y).slice(0, SKETCH_SIZE);
  const common = union.filter(hash => inA.has(hash) && inB.has(hash));
  return union.length === 0 ? 0 : common.length / union.length;
}

/** A text without what makes no difference. */
export function comparable(text: string): string {
  return text
    .slice(0, 4 * MOST)
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

/** Hashes of all runs of a few code points. */
function pieceHashes(text: string): ReadonlySet<number> {
  const points = Array.from(text.slice(0, MOST), each => each.codePointAt(0) ?? 0);
  const hashes = new Set<number>();
  for (let start = 0; start === 0 || start + PIECE <= points.length; start += 1) {
    let hash = 0x811c9dc5;
    const end = Math.min(start + PIECE, points.length);
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (points[at] ?? 0), 0x01000193);
    hashes.add(mix(hash));
  }
  return hashes;
}

/** For each group the least of the hashes under a few permutations: equal with the chance that a piece is shared. */
function groupKeys(hashes: ReadonlySet<number>): string[] {
  const minima = Array.from({ length: GROUPS * GROUP_SIZE }, (_, index) => {
    const seed = Math.imul(index + 1, 0x9e3779b1);
    let least = 0xffffffff;
    for (const hash of hashes) least = Math.min(least, mix(hash ^ seed));
    return least;
  });
  return Array.from({ length: GROUPS }, (_, group) =>
    hashText(`${group}:${minima.slice(group * GROUP_SIZE, (group + 1) * GROUP_SIZE).join(':')}`),
  );
}

/** Spreads the bits of a 32-bit number (the finaliser of MurmurHash3). */
function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const hashText = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 16);
