import { expect, test } from '@jest/globals';
import { QUERIES } from './queries.ts';

const filters = Object.entries(QUERIES).flatMap(([question, lines]) =>
  lines.filter(line => line.startsWith('filter')).map(line => [question, line] as const),
);

test.each(filters)('%s: puts brackets where the filter combines "and" with "or"', (_, line) => {
  const outer = line.replace(/\([^()]*\)/g, '');
  expect(/ and /.test(outer) && / or /.test(outer)).toBe(false);
});
