import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/import-graph.ts';
import {
  ANSWER_MS,
  batchMs,
  BURSTS,
  DELIVERY_CPU_MS,
  ENVIRONMENTS,
  rateOf,
  secondsOf,
} from '../support/burst.ts';

const page = readFileSync(join(ROOT, 'docs', 'scaling.md'), 'utf8').replace(/\s+/g, ' ');
const count = (value: number) => value.toLocaleString('en-US');
const seconds = (value: number) => (value < 10 ? value.toFixed(1) : count(Math.round(value)));

test.each(BURSTS)('docs/scaling.md says how long %i posts of one second take', posts => {
  const cells = [count(posts), ...secondsOf(posts).map(value => `${seconds(value)} s`)];
  expect(page).toContain(`| ${cells.join(' | ')} |`);
});

test('docs/scaling.md says what that is computed from', () => {
  expect(page).toContain(`${DELIVERY_CPU_MS} ms of processor time`);
  expect(page).toContain(`${ANSWER_MS} ms`);
  expect(page).toContain(`${Math.round(batchMs())} ms for ten texts`);
  for (const environments of ENVIRONMENTS) {
    expect(page).toContain(`${count(Math.round(rateOf(environments)))} texts a second`);
  }
});
