import { expect, test } from '@jest/globals';
import { rotationFilters } from './picture-filters.ts';

/** A display matrix of nine 32-bit numbers. */
function matrix(a: number, b: number, c: number, d: number): Buffer {
  const bytes = Buffer.alloc(36);
  [a, b, 0, c, d].forEach((value, index) => bytes.writeInt32LE(value * 65_536, index * 4));
  return bytes;
}

test.each([
  ['no matrix', null, ''],
  ['the identity', matrix(1, 0, 0, 1), ''],
  ['a quarter turn', matrix(0, 1, -1, 0), 'transpose=clock'],
  ['half a turn', matrix(-1, 0, 0, -1), 'hflip,vflip'],
  ['three quarters', matrix(0, -1, 1, 0), 'transpose=cclock'],
  ['a damaged matrix', Buffer.alloc(3), ''],
])('turns the picture for %s', (_, sideData, filters) => {
  expect(rotationFilters({ getCodedSideData: () => sideData })).toBe(filters);
});
