import { expect, test } from '@jest/globals';
import { sameText } from './same-text.ts';

test.each([
  ['a\u0301 b', 'á  b\r\n'],
  ['line\nbreak', 'line break'],
  ['', ' '],
])('%j is the same text as %j', (one, other) => expect(sameText(one, other)).toBe(true));

test.each([
  ['a', 'A'],
  ['a b', 'ab'],
  ['a', ''],
])('%j is another text than %j', (one, other) => expect(sameText(one, other)).toBe(false));
