import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isBlank, normalizeText } from './normalize.ts';

describe('normalizeText', () => {
  test.each([
    ['a\r\nb\rc\nd', 'a\nb\nc\nd'],
    ['a\tb\u0000c\u0007d\u007fe\u0085f', 'a\tbcdef'],
    ['family 👨‍👩‍👧 stays', 'family 👨‍👩‍👧 stays'],
    ['half \ud83d pair', 'half \ufffd pair'],
  ])('%j becomes %j', (text, expected) => expect(normalizeText(text)).toBe(expected));

  test('is idempotent', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        const once = normalizeText(text);
        expect(normalizeText(once)).toBe(once);
      }),
    ));
});

describe('isBlank', () => {
  test.each([
    '',
    ' \t\n',
    '\u00a0\u3000',
    '\u200b\u200d\ufeff',
    '\u2800',
    '\u3164',
    '\u{e0001}\ufe0f',
    '\u202e',
  ])('%j shows nothing', text => expect(isBlank(text)).toBe(true));
  test.each(['a', ' . ', '\u200b字', '👍', '\u0301'])('%j shows something', text =>
    expect(isBlank(text)).toBe(false),
  );
});
