import { onStack, report, type Bench } from './bench.ts';

/** From the command to a stack that answers. */
export const start: Bench = {
  name: 'start',
  run: async () => {
    const begun = performance.now();
    await onStack(() => {
      report('Start', { 'npm start until ready': `${((performance.now() - begun) / 1000).toFixed(1)} s` });
      return Promise.resolve();
    });
  },
};
