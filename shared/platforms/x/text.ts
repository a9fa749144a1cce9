import { domainToUnicode } from 'node:url';
import twitter from 'twitter-text';
import type { Span } from '../../text/truncate.ts';

/** Longest host name (RFC 1035) with some reserve. */
const MAX_HOST_UNITS = 300;
/** Everything that twitter-text accepts in a host: no white space and no punctuation other than `.`, `_` and `-`. */
const LONG_HOST = new RegExp(`[^\\s!'#%&"()*+,/:;<=>?@[\\]^{|}~$]{${MAX_HOST_UNITS + 1},}`, 'gu');

/**
 * Returns a text of the same length and weight in which nothing longer than a host name looks like one: the library
 * takes quadratic time to find that a run of characters and dots is not a host.
 */
const withoutLongHosts = (text: string) => text.replace(LONG_HOST, run => run.replaceAll('.', '!'));

/**
 * Emoji that the library, with its present emoji parser, counts as two together with a variation selector or skin tone. It
 * knows them before a gender sign with a selector.
 */
const SPLIT_EMOJI = /([☝⛷⛹✌✍🏋🏌🕴🕵🖐])(?:\ufe0f|[\u{1f3fb}-\u{1f3ff}])(?!\u200d[\u2640\u2642]\ufe0f)/gu;
/** Written with selectors or without. */
const EYE_IN_SPEECH_BUBBLE = /👁\ufe0f?\u200d🗨\ufe0f?/gu;

/** Returns the length as X counts it: NFC, every URL 23, an emoji 2, most scripts beyond Latin 2 (twitter-text configuration v3). */
export function weightedLength(text: string): number {
  const counted = withoutLongHosts(text.normalize('NFC'))
    .replace(SPLIT_EMOJI, '$1')
    .replace(EYE_IN_SPEECH_BUBBLE, '👁');
  return twitter.parseTweet(counted).weightedLength;
}

/** Returns the URLs, mentions, hashtags and cashtags that X finds. */
export function linkSpans(text: string): Span[] {
  return twitter
    .extractEntitiesWithIndices(withoutLongHosts(text))
    .map(({ indices: [start, end] }) => ({ start, end }));
}

/** Returns every occurrence of a cashtag. */
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
    // By a function: in a string, `$&` and the like would stand for parts of the match.
    return result.replaceAll(url, () => (MEDIA_LINK.test(expanded) ? '' : expanded));
  }, text);
  return unwrapped.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/**
 * True where two texts are the same post. X decides what is a link, adds a scheme and a slash to it, and changes white
 * space: all of that is left out wherever it occurs, since a library may find other links than X does.
 */
export function sameText(one: string, other: string): boolean {
  return comparable(one) === comparable(other);
}

const comparable = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/https?:\/\//gi, '')
    .replaceAll('/', '')
    .replace(/xn--[a-z0-9-]+/gi, domainToUnicode)
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim();
