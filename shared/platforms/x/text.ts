import twitter from 'twitter-text';
import type { Span } from '../../text/truncate.ts';

/** Returns the length as X counts it: NFC, every URL 23, an emoji 2, most scripts beyond Latin 2 (twitter-text configuration v3). */
export function weightedLength(text: string): number {
  return twitter.parseTweet(text.normalize('NFC')).weightedLength;
}

/** Returns the URLs, mentions, hashtags and cashtags that X finds. */
export function linkSpans(text: string): Span[] {
  return twitter.extractEntitiesWithIndices(text).map(({ indices: [start, end] }) => ({ start, end }));
}

export function cashtags(text: string): string[] {
  return twitter.extractCashtags(text);
}

/** True where a text contains U+FFFE, U+FEFF or U+FFFF, which X rejects. */
export function hasForbiddenCharacters(text: string): boolean {
  return twitter.hasInvalidCharacters(text);
}

/** A URL that X wrapped in t.co, as a timeline returns it. */
export interface WrappedUrl {
  url: string;
  expanded_url?: string | undefined;
}

/** The link that X appends for attached media. */
const MEDIA_LINK = /^https?:\/\/(?:x|twitter)\.com\/[^/]+\/status\/\d+\/(?:photo|video)\/\d+$/;

/** Returns the text of a live post as its author wrote it: links unwrapped, media links removed, entities decoded. */
export function unwrapText(text: string, urls: readonly WrappedUrl[]): string {
  const unwrapped = urls.reduce((result, { url, expanded_url: expanded }) => {
    if (expanded === undefined) return result;
    return result.replaceAll(url, MEDIA_LINK.test(expanded) ? '' : expanded);
  }, text);
  return unwrapped.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** True where two texts are the same post: X adds a scheme to bare domains and changes white space. */
export function sameText(one: string, other: string): boolean {
  return comparable(one) === comparable(other);
}

function comparable(text: string): string {
  const bare = (url: string) => url.replace(/^https?:\/\//i, '').replace(/\/$/, '');
  const normal = text.normalize('NFC');
  const plain = twitter
    .extractUrls(normal)
    .reduce((result, url) => result.replaceAll(url, bare(url)), normal);
  return plain.replace(/\s+/g, ' ').trim();
}
