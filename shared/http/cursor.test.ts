import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newKeyRing } from '../aws/key-ring.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { ApiError } from './errors.ts';

const ring = newKeyRing();
const scope = 'posts:w1:[["status","failed"]]';
const cursor = encodeCursor(ring, scope, '018f6f5e');

/** The body of the answer that a cursor gets. */
function refusal(text: string, wanted = scope, keys = ring): unknown {
  try {
    return decodeCursor(keys, wanted, text);
  } catch (error) {
    return (error as ApiError).response;
  }
}

const REFUSED = {
  status: 400,
  body: {
    error: 'Validation failed',
    details: [{ field: 'cursor', message: 'Is not a cursor of this list', platform: null }],
  },
};

describe('a cursor', () => {
  test('leads back to its place, whatever that is called', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (list, after) => {
        expect(decodeCursor(ring, list, encodeCursor(ring, list, after))).toBe(after);
      }),
    );
  });

  test('is none at the beginning of a list', () => {
    expect(decodeCursor(ring, scope, undefined)).toBeNull();
  });

  test.each(['posts:w2:[["status","failed"]]', 'posts:w1:[]', 'media:w1:', ''])(
    'fits no other workspace, filter or list: %s',
    other => {
      expect(refusal(cursor, other)).toEqual(REFUSED);
    },
  );

  test('fits no other deployment', () => {
    expect(refusal(cursor, scope, newKeyRing())).toEqual(REFUSED);
  });

  test('cannot be made up, or changed in any place', () => {
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
