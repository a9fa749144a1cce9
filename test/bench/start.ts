import { onStack, type Bench } from './bench.ts';
import { less } from './value.ts';

/** Time from `npm start` until the stack is ready. */
export const start: Bench = {
  name: 'start',
  summary: 'start time of the local stack',
  run: async () => {
    const begun = performance.now();
    const seconds = await onStack(() => Promise.resolve((performance.now() - begun) / 1000));
    return [{ title: 'Start', values: { 'npm start until ready': less(seconds, 's', 1) } }];
  },
};
