import { expect } from '@jest/globals';

/*
 * Times are compared, not limited, so that a slow machine does not fail a test: four times the input may take at most
 * ten times the CPU time, where quadratic growth takes sixteen. Short times are not compared, the best of several runs
 * counts, and what looks slow is measured again.
 */

const FACTOR = 4;
const MAX_GROWTH = 10;
/** Times below this are dominated by noise. Milliseconds of CPU. */
const COMPARED_FROM_MS = 60;
const RUNS = 3;
const ROUNDS = 3;

/**
 * Expects that the work on an input grows at most linearly with its size. `sized` returns an input of about that many
 * units; `units` is the size of the smaller of the two inputs.
 */
export async function expectLinear<T>(
  run: (input: T) => unknown,
  sized: (units: number) => T,
  units: number,
): Promise<void> {
  const measured: [small: number, large: number][] = [];
  while (measured.length < ROUNDS) {
    const large = await fastest(run, sized(units * FACTOR));
    if (large < COMPARED_FROM_MS) return;
    const small = await fastest(run, sized(units));
    if (large <= small * MAX_GROWTH) return;
    measured.push([small, large]);
  }
  expect({ growth: 'above linear', measured }).toEqual({ growth: 'linear' });
}

/** Returns the least milliseconds of CPU that the work took. */
async function fastest<T>(run: (input: T) => unknown, input: T): Promise<number> {
  let best = Infinity;
  for (let count = 0; count < RUNS && best >= COMPARED_FROM_MS; count += 1) {
    const started = process.cpuUsage();
    await run(input);
    const { user, system } = process.cpuUsage(started);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
