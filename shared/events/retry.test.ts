import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseRetryAfter, RETRY_DELAYS, retryDelay } from './retry.ts';

const S = 1000;
const MIN = 60 * S;
const H = 60 * MIN;

describe('retryDelay', () => {
  test('is 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, then null', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8].map(failed => retryDelay(failed, 0));
    expect(delays).toEqual([5 * S, 5 * MIN, 30 * MIN, 2 * H, 5 * H, 10 * H, 10 * H, null]);
  });

  test('is never shorter than the table says and at most a fifth longer', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: RETRY_DELAYS.length }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failed, random) => {
          const delay = retryDelay(failed, random)!;
          const table = RETRY_DELAYS[failed - 1]!;
          expect(delay).toBeGreaterThanOrEqual(table);
          expect(delay).toBeLessThanOrEqual(Math.round(table * 1.2));
        },
      ),
    );
  });

  test('follows Retry-After up to 10 hours', () => {
    expect(retryDelay(1, 0, 90 * S)).toBe(90 * S);
    expect(retryDelay(2, 0, 90 * S)).toBe(5 * MIN);
    expect(retryDelay(1, 0, 400 * H)).toBe(10 * H);
    expect(retryDelay(8, 0, 90 * S)).toBeNull();
  });
});

describe('parseRetryAfter', () => {
  const now = Date.parse('2026-12-01T10:00:00Z');
  test.each([
    ['120', 120 * S],
    [' 0 ', 0],
    ['Tue, 01 Dec 2026 10:01:00 GMT', MIN],
    ['Tue, 01 Dec 2026 09:00:00 GMT', 0],
    ['soon', 0],
    ['-5', 0],
    ['', 0],
    [undefined, 0],
  ])('parses %j', (header, delay) => {
    expect(parseRetryAfter(header, now)).toBe(delay);
  });
});
