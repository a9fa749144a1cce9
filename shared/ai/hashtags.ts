import { foldHashtag, hashtagsOf } from '../text/hashtags.ts';
import { characters } from '../text/measure.ts';

/** Longer ones are sentences without spaces. Characters, without `#`. */
const MAX_LENGTH = 50;
/** Candidates beyond this many are ignored. */
const MAX_CANDIDATES = 200;

/**
 * Normalizes the hashtags of a provider: one word each, `#` in front, at most `most`, without duplicates, banned ones and
 * those in `taken`.
 */
export function normalizeHashtags(
  raw: string | readonly string[],
  banned: ReadonlySet<string>,
  taken: readonly string[],
  most: number,
): string[] {
  const seen = new Set(taken.map(foldHashtag));
  const kept: string[] = [];
  for (const candidate of candidates(raw)) {
    if (kept.length >= most) break;
    const hashtag = asHashtag(candidate);
    if (hashtag === null) continue;
    const folded = foldHashtag(hashtag);
    if (seen.has(folded) || banned.has(folded)) continue;
    seen.add(folded);
    kept.push(hashtag);
  }
  return kept;
}

/** A string holds several hashtags; an entry of a list is one unless it has several `#`. */
function candidates(raw: string | readonly string[]): string[] {
  const entries = typeof raw === 'string' ? raw.slice(0, 10_000).split(/[\s,;、，]+/u) : raw;
  return entries
    .slice(0, MAX_CANDIDATES)
    .flatMap(entry => entry.slice(0, 500).split(/[#＃]/u))
    .slice(0, MAX_CANDIDATES);
}

/** `coffee lovers` becomes `#coffeelovers`. Null for what no platform recognizes as a hashtag. */
function asHashtag(text: string): string | null {
  const word = text.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}_]/gu, '');
  if (word === '' || characters(MAX_LENGTH).measure(word) > MAX_LENGTH) return null;
  const hashtag = `#${word}`;
  return hashtagsOf(hashtag)[0] === hashtag ? hashtag : null;
}

/** Splits a text into what comes before the hashtags at its end, and those hashtags. */
export function splitTrailingHashtags(text: string): { text: string; hashtags: string[] } {
  const parts = text.split(/(\s+)/u);
  const last = parts.findLastIndex(part => part.trim() !== '' && !isHashtagsOnly(part));
  return { text: parts.slice(0, last + 1).join(''), hashtags: hashtagsOf(parts.slice(last + 1).join('')) };
}

const isHashtagsOnly = (part: string) => /^[#＃]/u.test(part) && hashtagsOf(part).length > 0;

/** Turns hashtags that are banned, or beyond the first `most`, into plain words. */
export function unmarkHashtags(text: string, banned: ReadonlySet<string>, most: number): string {
  const excess = hashtagsOf(text).filter(
    (hashtag, index) => index >= most || banned.has(foldHashtag(hashtag)),
  );
  if (excess.length === 0) return text;
  const unwanted = new Set(excess.map(foldHashtag));
  const plain = text.replace(/[#＃]([\p{L}\p{M}\p{N}_\u200c\u200d]+)/gu, (whole, word: string) =>
    unwanted.has(foldHashtag(whole)) ? word : whole,
  );
  // Removing one `#` may make a hashtag of what follows it.
  return unmarkHashtags(plain, banned, most);
}
