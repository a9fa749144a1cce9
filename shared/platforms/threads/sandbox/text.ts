import { codePointLength } from '../../../text/code-points.ts';
import { findLinks } from '../../kit/sandbox/links.ts';

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;

/** Length of a text: an emoji counts its UTF-8 bytes, anything else its code points. */
export function weightOf(text: string): number {
  let weight = 0;
  for (const { segment } of GRAPHEMES.segment(text)) {
    weight += EMOJI.test(segment) ? Buffer.byteLength(segment) : codePointLength(segment);
  }
  return weight;
}

/** Returns the different URLs of a text. */
export function urlsOf(text: string): Set<string> {
  return new Set(findLinks(text, {}).map(({ href }) => href));
}

/** Returns the topic of a post without `topic_tag`: the first hashtag, which ends at a space, a period or an ampersand. */
export function topicOf(text: string): string | null {
  return /(?<=^|\s)#([^\s.&#]{1,50})/u.exec(text)?.[1] ?? null;
}
