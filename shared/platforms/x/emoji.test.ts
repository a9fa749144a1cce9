import { describe, expect, test } from '@jest/globals';
import { createRequire } from 'node:module';
import byEmoji from 'unicode-emoji-json/data-by-emoji.json' with { type: 'json' };
import { countWeight } from './sandbox/text.ts';
import { weightedLength } from './text.ts';

/** The emoji parser that twitter-text 3.1.0 pins; the service uses a newer one. */
const official = createRequire(import.meta.url)('twemoji-parser-official') as typeof import('twemoji-parser');

const TONES = ['🏻', '🏼', '🏽', '🏾', '🏿'];
const PERSONS = ['🧑', '👩', '👨'];
/** Pairs that have a code point of their own without skin tones, and are sequences with two of them. */
const PAIRS = ['🤝', '❤️', '❤️‍💋', '🐰', '🫯'].flatMap(sign =>
  PERSONS.flatMap(one => PERSONS.map(other => `${one}‍${sign}‍${other}`)),
);

const COMPONENTS = [...TONES, '🦰', '🦱', '🦲', '🦳'];

/** Every emoji of the runtime's Unicode version (RGI): the listed ones, and each with all its skin tones. */
const ALL = [
  ...new Set([...Object.keys(byEmoji), ...COMPONENTS, ...PAIRS, '🫱‍🫲'].flatMap(withTones)),
].filter(emoji => /^\p{RGI_Emoji}$/v.test(emoji));

function withTones(emoji: string): string[] {
  const [first = '', ...rest] = Array.from(emoji);
  if (first === '') return [''];
  const tails = withTones(rest.join(''));
  const plain = tails.map(tail => first + tail);
  if (!/\p{Emoji_Modifier_Base}/u.test(first)) return plain;
  // A skin tone takes the place of a variation selector.
  const toned = withTones(rest.join('').replace(/^\ufe0f/, ''));
  return [...plain, ...TONES.flatMap(tone => toned.map(tail => first + tone + tail))];
}

const signs = (emoji: string) => Array.from(emoji, sign => sign.codePointAt(0)!.toString(16)).join(' ');

/** Returns the emoji whose weight is not the expected one, with their weights. */
const unlike = (
  emoji: readonly string[],
  count: (text: string) => number,
  expected: (text: string) => number,
) =>
  emoji.flatMap(each =>
    count(each) === expected(each) ? [] : [`${each} (${signs(each)}): ${count(each)}, not ${expected(each)}`],
  );

/** The weight of a text without links, as twitter-text computes it from what its own parser finds. */
function officialWeight(text: string): number {
  let weight = 0;
  let at = 0;
  for (const { indices } of [...official.parse(text), { indices: [text.length, text.length] as const }]) {
    const between = Array.from(text.slice(at, indices[0]), sign => sign.codePointAt(0)!);
    weight += between.reduce((sum, point) => sum + (isLight(point) ? 1 : 2), 0);
    if (indices[1] > indices[0]) weight += 2;
    at = indices[1];
  }
  return weight;
}

const isLight = (point: number) =>
  point <= 4351 ||
  (point >= 8192 && point <= 8205) ||
  (point >= 8208 && point <= 8223) ||
  (point >= 8242 && point <= 8247);

describe('every emoji of the current Unicode version', () => {
  test('is in the table', () => {
    expect(ALL).toHaveLength(3953);
  });

  test('weighs 2', () => {
    expect(unlike(ALL, weightedLength, () => 2)).toEqual([]);
    expect(unlike(ALL, countWeight, () => 2)).toEqual([]);
  });

  test('weighs 2 within a text', () => {
    const within = ALL.map(emoji => `a${emoji}b${emoji}${emoji} ${emoji}.`);
    expect(unlike(within, weightedLength, () => 12)).toEqual([]);
    expect(unlike(within, countWeight, () => 12)).toEqual([]);
  });
});

describe('an emoji that is spelled without its selectors, or with one more', () => {
  const bare = (emoji: string) => emoji.replaceAll('\ufe0f', '');
  const spellings = [
    ...new Set([
      ...ALL.map(bare),
      ...ALL.filter(emoji => Array.from(emoji).length === 1).map(emoji => `${emoji}\ufe0f`),
    ]),
  ];

  test('weighs no more than twitter-text says', () => {
    const heavier = (text: string) => Math.min(weightedLength(text), officialWeight(text));
    expect(unlike(spellings, weightedLength, heavier)).toEqual([]);
  });

  test('weighs exactly what twitter-text says, where its own parser knows the emoji', () => {
    const known = ALL.filter(emoji => officialWeight(emoji) === 2).map(bare);
    expect(known.length).toBeGreaterThan(2500);
    expect(unlike(known, weightedLength, officialWeight)).toEqual([]);
  });

  test('weighs the same in the sandbox', () => {
    expect(unlike(spellings, countWeight, weightedLength)).toEqual([]);
  });
});
