import { onStack, report, type Bench } from './bench.ts';

/** Time from `npm start` until the stack is ready. */
export const start: Bench = {
  name: 'start',
  summary: 'start time of the local stack',
  run: async () => {
    const begun = performance.now();
    await onStack(() => {
      report('Start', { 'npm start until ready': `${((performance.now() - begun) / 1000).toFixed(1)} s` });
      return Promise.resolve();
    });
  },
};
