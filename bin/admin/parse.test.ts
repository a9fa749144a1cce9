import { expect, test } from '@jest/globals';
import { parseName } from './parse.ts';

test('a name is as the API takes it', () => {
  expect(parseName('Acme')).toBe('Acme');
  expect(() => parseName('   ')).toThrow('--name');
  expect(() => parseName('a'.repeat(101))).toThrow('100 characters');
});
