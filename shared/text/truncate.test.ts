import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findSpans, truncate } from './truncate.ts';

const units = (text: string) => text.length;
const cut = (text: string, limit: number) => truncate(text, { limit, measure: units });

describe('truncate', () => {
  test('returns a text that fits unchanged, spaces included', () => expect(cut(' abc ', 5)).toBe(' abc '));

  test('cuts between words', () => expect(cut('one two three four', 14)).toBe('one two three…'));

  test('cuts inside a word when a cut between words would drop too much', () =>
    expect(cut(`a ${'b'.repeat(50)}`, 20)).toBe(`a ${'b'.repeat(17)}…`));

  test('cuts between graphemes', () => {
    expect(cut('👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧', 18)).toBe('👨‍👩‍👧👨‍👩‍👧…');
    expect(cut('e\u0301e\u0301e\u0301', 4)).toBe('e\u0301…');
  });

  test.each([
    ['see https://example.com/a/long/path today', 20, 'see…'],
    ['visit example.com/path today', 14, 'visit…'],
    ['thanks @someone_known', 15, 'thanks…'],
    ['look #Überraschung', 15, 'look…'],
  ])('keeps links whole: %s', (text, limit, expected) => expect(cut(text, limit)).toBe(expected));

  test('separates the ellipsis from a link that ends at the cut', () =>
    expect(cut('go https://example.com/x and more words', 26)).toBe('go https://example.com/x …'));

  test('returns the ellipsis alone, or nothing, when nothing else fits', () => {
    expect(cut('https://example.com/', 5)).toBe('…');
    expect(cut('abc', 0)).toBe('');
  });

  test('respects the spans of the caller', () =>
    expect(truncate('aaaa bb-bb', { limit: 8, measure: units, spans: () => [{ start: 5, end: 10 }] })).toBe(
      'aaaa…',
    ));

  test('returns a fitting prefix that ends outside links', () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.constantFrom('https://example.com/a?b=c', '#hash_tag', '@some.one', 'example.org', ' ', '\n'),
    );
    const measures = [
      units,
      (text: string) => Buffer.byteLength(text),
      (text: string) => [...new Intl.Segmenter().segment(text)].length,
    ];
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 30 }),
        fc.integer({ min: 3, max: 80 }),
        fc.constantFrom(...measures),
        (words, limit, measure) => {
          const text = words.join(' ');
          const shown = truncate(text, { limit, measure });
          expect(measure(shown)).toBeLessThanOrEqual(limit);
          if (shown === text) return;
          const kept = shown.replace(/ ?…$/, '');
          expect(text.startsWith(kept)).toBe(true);
          expect(findSpans(text).some(({ start, end }) => start < kept.length && kept.length < end)).toBe(
            false,
          );
        },
      ),
    );
  });
});
