import { countGraphemes, splitGraphemes } from 'unicode-segmenter/grapheme';
import { codePointLength } from './code-points.ts';

/** One limit on a text, measured as the platform measures it. */
export interface TextRule {
  /** Largest allowed measure. */
  limit: number;
  /** The measure of a text in `unit`. */
  measure: (text: string) => number;
  /** Name of the unit in messages: "weighted characters", "graphemes", "UTF-8 bytes". */
  unit: string;
}

/** A limit in Unicode code points, which most platforms call characters. */
export const characters = (limit: number): TextRule => ({
  limit,
  measure: codePointLength,
  unit: 'characters',
});

/** A limit in UTF-16 units, for platforms that do not document their unit: never fewer than the code points. */
export const utf16Units = (limit: number): TextRule => ({
  limit,
  measure: text => text.length,
  unit: 'UTF-16 units',
});

export const utf8Bytes = (limit: number): TextRule => ({
  limit,
  measure: text => Buffer.byteLength(text),
  unit: 'UTF-8 bytes',
});

/** A limit in Unicode code points, for platforms that count an emoji as its UTF-8 bytes. */
export const charactersAndEmojiBytes = (limit: number): TextRule => ({
  limit,
  measure: charactersAndEmojiBytesOf,
  unit: 'characters (an emoji counts as its UTF-8 bytes)',
});

/** A grapheme with one of these is an emoji, together with all its joiners and selectors. */
const EMOJI = /[\p{Extended_Pictographic}\p{Regional_Indicator}]|[0-9#*]\ufe0f?\u20e3/u;

function charactersAndEmojiBytesOf(text: string): number {
  if (!EMOJI.test(text)) return codePointLength(text);
  let length = 0;
  for (const grapheme of splitGraphemes(text)) {
    length += EMOJI.test(grapheme) ? Buffer.byteLength(grapheme) : codePointLength(grapheme);
  }
  return length;
}

/** A limit in grapheme clusters. Not by Intl.Segmenter, whose result depends on the Unicode version of the runtime. */
export const graphemes = (limit: number): TextRule => ({ limit, measure: countGraphemes, unit: 'graphemes' });

/** True where a text satisfies every rule. */
export function fits(text: string, rules: readonly TextRule[]): boolean {
  return rules.every(({ measure, limit }) => measure(text) <= limit);
}
