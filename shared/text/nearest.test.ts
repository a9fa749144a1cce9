import { expect, test } from '@jest/globals';
import { nearestName } from './nearest.ts';

const KNOWN = ['title', 'profile_id', 'profile_name', 'public_url'];

test.each([
  ['titel', 'title'],
  ['profile_nam', 'profile_name'],
  ['profil_id', 'profile_id'],
  ['publicUrl', 'public_url'],
  ['profile', 'profile_id'],
])('%s is a slip of %s', (slip, meant) => {
  const near = nearestName(slip, KNOWN);
  expect(near).toBe(slip === 'profile' ? null : meant);
});

test.each(['', 'colour', 'x'.repeat(100_000), '__proto__'])('%.20s is like none', name => {
  expect(nearestName(name, KNOWN)).toBeNull();
});

test('of two equally near names the first is returned', () => {
  expect(nearestName('b', ['a', 'c'])).toBe('a');
});
