import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newKeyRing } from '../aws/key-ring.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { ApiError } from './errors.ts';

const ring = newKeyRing();
const scope = 'posts:w1:[["status","failed"]]';
const cursor = encodeCursor(ring, scope, '018f6f5e');

/** Returns the response that a cursor is refused with. */
function refusal(text: string, expectedScope = scope, keys = ring): unknown {
  try {
    return decodeCursor(keys, expectedScope, text);
  } catch (error) {
    return (error as ApiError).response;
  }
}

const REFUSED = {
  status: 400,
  body: {
    error: 'Validation failed',
    details: [
      {
        field: 'cursor',
        message: 'cursor is invalid; use next_cursor of this list, requested with the same filters',
        platform: null,
      },
    ],
  },
};

describe('a cursor', () => {
  test('decodes to the position it was encoded from, for any position and scope', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (list, after) => {
        expect(decodeCursor(ring, list, encodeCursor(ring, list, after))).toBe(after);
      }),
    );
  });

  test('is refused without a server fault for filters of any length', () => {
    const long = `posts:w1:${'x'.repeat(100_000)}`;
    expect(refusal('forged.cursor', long)).toEqual(REFUSED);
    expect(decodeCursor(ring, long, encodeCursor(ring, long, 'p1'))).toBe('p1');
  });

  test('is null at the beginning of a list', () => {
    expect(decodeCursor(ring, scope, undefined)).toBeNull();
  });

  test.each(['posts:w2:[["status","failed"]]', 'posts:w1:[]', 'media:w1:', ''])(
    'is refused for another workspace, filter or list: %s',
    other => {
      expect(refusal(cursor, other)).toEqual(REFUSED);
    },
  );

  test('is refused by another deployment', () => {
    expect(refusal(cursor, scope, newKeyRing())).toEqual(REFUSED);
  });

  test('cannot be forged or changed at any position', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), text => {
        expect(refusal(text)).toEqual(REFUSED);
      }),
    );
    for (let at = 0; at < cursor.length - 1; at += 1) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      expect(refusal(cursor.slice(0, at) + other + cursor.slice(at + 1))).toEqual(REFUSED);
    }
  });
});
