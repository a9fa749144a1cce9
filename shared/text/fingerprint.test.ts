import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { comparable, fingerprint, similarity, sketchOf } from './fingerprint.ts';

const TEXT =
  'Our new coffee roastery opens on Saturday at ten! Come by for free espresso, cake and a look behind the scenes: https://example.com/opening?utm_source=x #coffee #berlin';

const like = (a: string, b: string) => similarity(fingerprint(a)!.sketch, fingerprint(b)!.sketch);
const meet = (a: string, b: string) => {
  const keys = new Set(fingerprint(a)!.keys);
  return fingerprint(b)!.keys.some(key => keys.has(key));
};

describe('texts that say the same', () => {
  test.each([
    [
      'case',
      TEXT.toUpperCase().replace('HTTPS://EXAMPLE.COM/OPENING?UTM_SOURCE=X', 'https://example.com/opening'),
    ],
    ['white space', TEXT.replaceAll(' ', '\n  ')],
    ['punctuation', TEXT.replaceAll(/[!,]|:(?= )/g, '').concat('…!!!')],
    ['tracking parameters', TEXT.replace('utm_source=x', 'utm_source=mail&utm_campaign=b&fbclid=1')],
    ['the form of characters', TEXT.normalize('NFD').replace('coffee', 'ｃｏｆｆｅｅ')],
  ])('differ in %s only', (_, other) => {
    expect(comparable(other)).toBe(comparable(TEXT));
    expect(fingerprint(other)!.keys).toEqual(fingerprint(TEXT)!.keys);
  });

  test('match when they differ in a word or two', () => {
    const other = TEXT.replace('Saturday', 'Sunday').replace('ten!', 'ten');
    expect(like(TEXT, other)).toBeGreaterThan(0.8);
    expect(meet(TEXT, other)).toBe(true);
  });

  test('match in a script without spaces', () => {
    const text = '新しい焙煎所が土曜日の十時にオープンします。無料のエスプレッソとケーキをお楽しみください。';
    expect(like(text, text.replace('土曜日', '日曜日'))).toBeGreaterThan(0.6);
    expect(meet(text, `${text}！`)).toBe(true);
  });
});

describe('texts that say something else', () => {
  test.each([
    'Our winter menu is here: soup, bread and roasted vegetables. See https://example.com/menu',
    'We are hiring! A barista for weekends, and someone who likes spreadsheets. Write to jobs@example.com',
    '🎉',
  ])('%s', other => {
    expect(like(TEXT, other)).toBeLessThan(0.4);
  });

  test('differ in a link parameter that is not for tracking', () => {
    expect(comparable('https://example.com/a?id=1')).not.toBe(comparable('https://example.com/a?id=2'));
  });
});

test('a text without content has no fingerprint', () => {
  expect(fingerprint(' \n…!? ')).toBeNull();
  expect(sketchOf(' \n…!? ')).toBeNull();
});

test('similarity is 1 for the same text and symmetric', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ maxLength: 300 }), (a, b) => {
      const [one, other] = [fingerprint(a), fingerprint(b)];
      if (!one || !other) return;
      expect(similarity(one.sketch, one.sketch)).toBe(1);
      expect(similarity(one.sketch, other.sketch)).toBe(similarity(other.sketch, one.sketch));
      expect(one.keys).toHaveLength(5);
      expect(sketchOf(a)).toEqual(one.sketch);
    }),
  );
});

test('texts of 20 words that differ in one nearly always share a key', () => {
  const words = (seed: number) =>
    Array.from({ length: 30 }, (_, index) => `word${(seed * 7919 + index * 104729) % 9973}x`);
  const met = Array.from({ length: 200 }, (_, seed) => {
    const text = words(seed);
    return meet(text.join(' '), [...text.slice(0, 12), 'changed', ...text.slice(13)].join(' '));
  });
  expect(met.filter(Boolean).length).toBeGreaterThan(185);
});
