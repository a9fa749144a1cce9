import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseJsonStrictly } from './json.ts';

describe('JSON from outside', () => {
  test('returns any well-formed value unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }), value => {
        const text = JSON.stringify(value);
        expect(parseJsonStrictly(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each([
    ['half a pair in a value', '{"a":["\\ud800"]}'],
    ['half a pair in a name', '{"\\udc00":1}'],
    ['pairs the wrong way round', '"\\udc00\\ud800"'],
    ['no JSON', '{"a":'],
    ['65 levels', '['.repeat(65) + ']'.repeat(65)],
    ['a million levels', '['.repeat(1_000_000)],
  ])('is malformed: %s', (_, text) => {
    expect(parseJsonStrictly(text)).toBeUndefined();
  });

  test.each([
    ['a whole pair', '"\\ud83d\\ude80"', '🚀'],
    ['64 levels', '['.repeat(64) + ']'.repeat(64), expect.anything()],
  ])('is sound: %s', (_, text, value) => {
    expect(parseJsonStrictly(text)).toEqual(value);
  });
});
