import { afterEach, describe, expect, test } from '@jest/globals';
import { createClock, installClock, uninstallClock } from './clock.ts';

afterEach(uninstallClock);

describe('the clock of the stack', () => {
  test('follows real time until it is advanced', () => {
    const clock = createClock();
    const readings = [Date.now(), clock.now(), Date.now()];
    expect(readings.toSorted((a, b) => a - b)).toEqual(readings);
    clock.advance(3600);
    expect(clock.offsetMs()).toBe(3_600_000);
  });

  test('determines every form of Date once installed', () => {
    const clock = createClock();
    const start = Date.now();
    installClock(clock.memory);
    clock.advance(86_400);
    const readings = [Date.now(), new Date().getTime(), Date.parse(Date())];
    uninstallClock();
    const [earliest, latest] = [start, Date.now()].map(time => time + 86_400_000);
    // Date() has a resolution of one second.
    for (const time of readings) expect(time).toBeGreaterThan(earliest! - 1000);
    for (const time of readings) expect(time).toBeLessThanOrEqual(latest!);
  });

  test('does not change dates that are constructed from a value', () => {
    const clock = createClock(5000);
    installClock(clock.memory);
    expect(new Date(0).toISOString()).toBe('1970-01-01T00:00:00.000Z');
    expect(new Date('2026-01-01')).toBeInstanceOf(Date);
    expect(Date.UTC(1970, 0, 1)).toBe(0);
  });
});
