import { expect, test } from '@jest/globals';
import { startClock } from './clock.ts';

test('follows the time exactly, however late single ticks are', async () => {
  let now = 0;
  const clock = startClock(25, () => now);
  for (let tick = 0; tick < 50; tick += 1) {
    now = tick * 40 + (tick % 7) * 100;
    await clock.next();
  }
  expect(clock.behind_ms()).toBe(0);
});

test('does not make up for a standstill', async () => {
  let now = 0;
  const clock = startClock(25, () => now);
  await clock.next();
  now = 131_040;
  await clock.next();
  expect(clock.behind_ms()).toBe(131_000);
  now += 40;
  await clock.next();
  expect(clock.behind_ms()).toBe(131_000);
});

test('is never faster than real time', async () => {
  const begun = performance.now();
  const clock = startClock(50);
  for (let tick = 0; tick <= 10; tick += 1) await clock.next();
  expect(performance.now() - begun).toBeGreaterThanOrEqual(199);
});
