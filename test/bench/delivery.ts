import { bundleAll } from '../../lib/bundle-all.ts';
import { CAPACITY } from '../../shared/delivery/load.ts';
import { PROCESSOR_MB } from '../support/burst.ts';
import { onStack, type Bench, type Results } from './bench.ts';
import { deliver, openLab, withPublisher, type Lab } from './memory/lab.ts';
import { PLATFORM_MS, run } from './post-cost.ts';
import { less } from './value.ts';

const SIZES_MB = [256, 512, 768, 1024, 2048];
/** Takes texts in one invocation. */
const PLATFORM = 'x';
/** Deliveries of an environment before it is called warm, and those that are measured; X allows a hundred altogether. */
const WARM = 50;
const SAMPLE = 20;

/** Processor time of a text delivery by the deployed bundle of the publishers, and its price with more or less memory. */
export const delivery: Bench = {
  name: 'delivery',
  summary: 'processor time of a text delivery, and its price with more or less memory',
  run: () => {
    bundleAll();
    return onStack(async stack => {
      const lab = await openLab(stack);
      try {
        return await measure(lab);
      } finally {
        lab.posts.close();
      }
    });
  },
};

async function measure(lab: Lab): Promise<Results[]> {
  const [first, young, warm, together] = await withPublisher(lab, PLATFORM, async publisher => {
    /** Returns the processor time of a delivery in so many batches. */
    const average = async (batches: number, size: number) => {
      let spent = 0;
      for (let n = 0; n < batches; n += 1) {
        spent += await deliver(lab, publisher, PLATFORM, {
          type: 'text',
          url: () => null,
          n: 1,
          together: size,
        });
      }
      return spent / batches / size;
    };
    const cold = await average(1, 1);
    const early = await average(SAMPLE, 1);
    await average((WARM - SAMPLE) / CAPACITY, CAPACITY);
    return [cold, early, await average(SAMPLE, 1), await average(SAMPLE / CAPACITY, CAPACITY)];
  });
  const measured: Results = {
    title: 'Processor time of a text delivery',
    values: {
      'the first of an environment': less(first, 'ms'),
      [`the next ${SAMPLE}, one by one`]: less(young, 'ms', 1),
      [`after ${WARM}, one by one`]: less(warm, 'ms', 1),
      [`after ${WARM}, ten side by side`]: less(together, 'ms', 1),
    },
  };
  return [measured, ...SIZES_MB.map(memoryMb => priceOf(memoryMb, warm, first))];
}

function priceOf(memoryMb: number, warmMs: number, firstMs: number): Results {
  // More than one processor is of no use to a delivery.
  const share = Math.min(1, memoryMb / PROCESSOR_MB);
  const duration = PLATFORM_MS + warmMs / share;
  return {
    title: `A text delivery with ${memoryMb} MB`,
    values: {
      'time in a warm environment': less(duration, 'ms'),
      'time of the first': less(PLATFORM_MS + firstMs / share, 'ms'),
      'ten at once': less(PLATFORM_MS + (CAPACITY * warmMs) / share, 'ms'),
      '1,000 deliveries': less(1000 * run(memoryMb, duration), 'dollars', 4),
    },
  };
}
