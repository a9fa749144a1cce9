import { expect, test } from '@jest/globals';
import { startClock } from './clock.ts';
import { REAL_TIME } from './timer.ts';

const FPS = 25;
const TICK = 1000 / FPS;

/** A clock on a timer that only sleeps and stalls move. `run` returns the times of `count` ticks. */
function clockOfTest() {
  let now = 0;
  const clock = startClock(FPS, {
    now: () => now,
    sleep: ms => Promise.resolve(void (now += Math.max(0, ms))),
  });
  return {
    ...clock,
    now: () => now,
    stall: (ms: number) => void (now += ms),
    run: async (count: number, afterTick: (index: number) => void = () => undefined) => {
      const times: number[] = [];
      for (let index = 0; index < count; index += 1) {
        await clock.next();
        times.push(now);
        afterTick(index);
      }
      return times;
    },
  };
}

test('follows the time exactly, however long single ticks take', async () => {
  const clock = clockOfTest();
  const times = await clock.run(54, index => clock.stall((index % 7) * 10));
  expect(times.at(-1)).toBe(53 * TICK);
  expect(clock.behind_ms()).toBe(0);
});

test.each([2000, 5000])('makes up for a stall of %i ms at twice the pace of real time', async stall => {
  const clock = clockOfTest();
  await clock.run(10);
  clock.stall(stall);
  const [first = 0, ...times] = await clock.run(1 + (2 * stall) / TICK);
  const steps = times.map((time, index) => time - (times[index - 1] ?? first));
  expect(Math.min(...steps)).toBeGreaterThanOrEqual(TICK / 2);
  expect(times.at(-1)).toBe((10 + (2 * stall) / TICK) * TICK);
  expect(clock.behind_ms()).toBe(0);
});

test('gives up what a stall takes above five seconds', async () => {
  const clock = clockOfTest();
  await clock.next();
  clock.stall(131_000 + TICK);
  await clock.run(500);
  expect(clock.behind_ms()).toBe(126_000);
  expect(clock.now()).toBe(126_000 + 500 * TICK);
});

test('stays five seconds behind on a machine that is always too slow', async () => {
  const clock = clockOfTest();
  await clock.run(500, () => clock.stall(2 * TICK));
  // The last stall comes after the last tick.
  expect(clock.now() - clock.behind_ms() - 500 * TICK).toBeLessThanOrEqual(5000 + TICK);
});

test('is never faster than real time', async () => {
  const begun = performance.now();
  const clock = startClock(50, REAL_TIME);
  for (let tick = 0; tick <= 10; tick += 1) await clock.next();
  expect(performance.now() - begun).toBeGreaterThanOrEqual(199);
});
