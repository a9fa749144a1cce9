import { foldHashtag, hashtagsOf } from '../text/hashtags.ts';
import { characters } from '../text/measure.ts';

/** Longer ones are sentences without spaces. Characters, without `#`. */
const LONGEST = 50;
/** More than anybody wants. What lies beyond is not even looked at. */
const MOST_CANDIDATES = 200;

/**
 * Hashtags of what a model, or a table, gives: one word each, `#` in front, none twice, none that is banned or in
 * `taken` already (folded), at most `most`.
 */
export function tidyHashtags(
  given: string | readonly string[],
  banned: ReadonlySet<string>,
  taken: readonly string[],
  most: number,
): string[] {
  const seen = new Set(taken.map(foldHashtag));
  const kept: string[] = [];
  for (const candidate of candidates(given)) {
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

/** One text is several hashtags, an entry of a list is one unless it has several `#`. */
function candidates(given: string | readonly string[]): string[] {
  const entries = typeof given === 'string' ? given.slice(0, 10_000).split(/[\s,;、，]+/u) : given;
  return entries
    .slice(0, MOST_CANDIDATES)
    .flatMap(entry => entry.slice(0, 500).split(/[#＃]/u))
    .slice(0, MOST_CANDIDATES);
}

/** `coffee lovers` is `#coffeelovers`. Null for what no platform takes for a hashtag. */
function asHashtag(text: string): string | null {
  const word = text.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}_]/gu, '');
  if (word === '' || characters(LONGEST).measure(word) > LONGEST) return null;
  const hashtag = `#${word}`;
  return hashtagsOf(hashtag)[0] === hashtag ? hashtag : null;
}

/** The text without the hashtags at its end, and those. */
export function splitTrailing(text: string): { text: string; hashtags: string[] } {
  const parts = text.split(/(\s+)/u);
  const last = parts.findLastIndex(part => part.trim() !== '' && !isHashtagsOnly(part));
  return { text: parts.slice(0, last + 1).join(''), hashtags: hashtagsOf(parts.slice(last + 1).join('')) };
}

const isHashtagsOnly = (part: string) => /^[#＃]/u.test(part) && hashtagsOf(part).length > 0;

/** The text with plain words instead of hashtags that are banned, or beyond `most`. */
export function withoutHashtags(text: string, banned: ReadonlySet<string>, most: number): string {
  const rest = hashtagsOf(text).filter((hashtag, index) => index >= most || banned.has(foldHashtag(hashtag)));
  if (rest.length === 0) return text;
  const unwanted = new Set(rest.map(foldHashtag));
  const plain = text.replace(/[#＃]([\p{L}\p{M}\p{N}_\u200c\u200d]+)/gu, (whole, word: string) =>
    unwanted.has(foldHashtag(whole)) ? word : whole,
  );
  // Taking one sign away may make a hashtag of what follows it.
  return withoutHashtags(plain, banned, most);
}
