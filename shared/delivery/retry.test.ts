import { describe, expect, test } from '@jest/globals';
import { DAY, MINUTE } from '../time/instant.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import { decide } from './outcome.ts';
import { delayAfter, isExhausted } from './retry.ts';

const begun = { first_attempt_at: 1000 };

describe('retries', () => {
  test('wait 1, 2, 4, 8, 15 minutes, then 15 each time', () => {
    const waits = Array.from({ length: 9 }, (_, index) => delayAfter(index + 1) / MINUTE);
    expect(waits).toEqual([1, 2, 4, 8, 15, 15, 15, 15, 15]);
  });

  test('wait for the delay that the platform named, shorter or longer', () => {
    expect(
      [90_000, 5_000, 6 * 3_600_000].map((retryAfterMs, index) => delayAfter(index + 1, { retryAfterMs })),
    ).toEqual([90_000, 5_000, 21_600_000]);
  });

  test('wait for the delays that suit the error where the platform named none', () => {
    const backoffMs = [5_000, 10_000];
    expect([1, 2, 9].map(failures => delayAfter(failures, { backoffMs }))).toEqual([5_000, 10_000, 10_000]);
    expect(delayAfter(1, { backoffMs, retryAfterMs: 1_000 })).toBe(1_000);
  });

  test('end with the tenth consecutive failure, or a day after the first attempt', () => {
    expect([isExhausted(begun, 9, 2000), isExhausted(begun, 10, 2000)]).toEqual([false, true]);
    expect([isExhausted(begun, 1, 1000 + DAY), isExhausted(begun, 1, 1001 + DAY)]).toEqual([false, true]);
    expect(isExhausted({ first_attempt_at: null }, 1, 9 * DAY)).toBe(false);
  });

  test('of a limit end only after a day, and leave some for faults', () => {
    const limit = new PlatformError({
      kind: 'rate_limited',
      code: 'PLATFORM_RATE_LIMIT',
      message: 'Slow down',
    });
    const busy = new PlatformError({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'Busy' });
    let failures = 0;
    let at = begun.first_attempt_at;
    let tries = 0;
    for (;;) {
      const next = decide(limit, { ...begun, failures }, true, at);
      if (next.type !== 'retry') break;
      expect(decide(busy, { ...begun, failures }, true, at)).toMatchObject({ type: 'retry' });
      ({ failures, at } = next);
      tries += 1;
    }
    expect(at - begun.first_attempt_at).toBeGreaterThan(DAY - 16 * MINUTE);
    // Four with growing delays, then one each quarter of an hour.
    expect(tries).toBe(4 + Math.floor((DAY / MINUTE - 15) / 15));
  });

  test('end early where the platform punishes repetitions', () => {
    const error = new PlatformError({
      kind: 'rate_limited',
      code: 'PLATFORM_RATE_LIMIT',
      message: 'This request looks automated',
      retryAfterMs: 60 * MINUTE,
      retries: 1,
    });
    const after = (failures: number) => decide(error, { ...begun, failures }, true, 2000);
    expect(after(0)).toMatchObject({ type: 'retry', at: 2000 + 60 * MINUTE });
    expect(after(1)).toMatchObject({ type: 'fail', failure: { message: 'This request looks automated' } });
  });

  test('do not follow a denial, which loses the account unless reconnecting would change nothing', () => {
    const denied = (keepsAccount?: boolean) =>
      new PlatformError({ kind: 'rejected', code: 'PERMISSION_MISSING', message: 'Banned', keepsAccount });
    const after = (error: Error) => decide(error, { ...begun, failures: 0 }, false, 2000);
    expect(after(denied())).toMatchObject({ type: 'fail', accountLost: true });
    expect(after(denied(true))).toMatchObject({ type: 'fail', accountLost: false });
  });
});
