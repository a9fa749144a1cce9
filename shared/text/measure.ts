import { countGraphemes } from 'unicode-segmenter/grapheme';

/** One limit on a text, measured as the platform measures it. */
export interface TextRule {
  /** Largest measure allowed. */
  limit: number;
  /** The measure of a text in `unit`. */
  measure: (text: string) => number;
  /** Name of the unit in messages: "weighted characters", "graphemes", "UTF-8 bytes". */
  unit: string;
}

/** Unicode code points: what most platforms call a character. */
export const characters = (limit: number): TextRule => ({
  limit,
  measure: countCodePoints,
  unit: 'characters',
});

/** UTF-16 units, where a platform's documents do not name its unit: never fewer than the code points. */
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

/** What a reader takes for one sign. Not Intl.Segmenter: its answer depends on the runtime's Unicode version. */
export const graphemes = (limit: number): TextRule => ({ limit, measure: countGraphemes, unit: 'graphemes' });

/** A pair of surrogates is one code point; a lone one counts by itself. */
function countCodePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index += 1) {
    if (isHigh(text.charCodeAt(index)) && isLow(text.charCodeAt(index + 1))) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

/** True when a text satisfies every rule. */
export function fits(text: string, rules: readonly TextRule[]): boolean {
  return rules.every(({ measure, limit }) => measure(text) <= limit);
}
