import { expect, test } from '@jest/globals';
import type { QueueDepth } from './aws/sqs.ts';
import type { MappingView } from './lambda/mappings.ts';
import { currentWork, whenWorkIsDone } from './work.ts';

const queue = (name: string, depth: number): QueueDepth => ({
  name,
  depth,
  delayed: 1,
  in_flight: 0,
  dead_letters: null,
});
const mapping = (name: string): MappingView => ({ uuid: name, queue: name, function: 'f', state: 'Enabled' });

/** Sources that are one step further with each look at the functions. */
function sources(...steps: { working?: Record<string, number>; depth?: number }[]) {
  let step = steps[0]!;
  const left = [...steps];
  return {
    looks: () => steps.length - left.length,
    working: () => {
      step = left.shift() ?? step;
      return step.working ?? {};
    },
    queues: () => [queue('publish-x', step.depth ?? 0), queue('dead-letters', 1)],
    mappings: () => [mapping('publish-x')],
  };
}

test('a message for a function is work, a delayed one and a dead letter are not', () => {
  expect(currentWork(sources({ depth: 2 })).waiting.map(({ name }) => name)).toEqual(['publish-x']);
  expect(currentWork(sources({ depth: 0 }))).toEqual({ working: {}, waiting: [] });
});

test('the wait ends when twice in a row nothing is to be done', async () => {
  const parts = sources({ working: { f: 1 } }, {}, { depth: 1 }, {}, {}, { working: { f: 1 } });
  expect(await whenWorkIsDone(parts, 60_000)).toEqual({ working: {}, waiting: [] });
  expect(parts.looks()).toBe(5);
});

test('the wait ends with its limit', async () => {
  expect(await whenWorkIsDone(sources({ working: { f: 1 } }), 1)).toEqual({ working: { f: 1 }, waiting: [] });
});
