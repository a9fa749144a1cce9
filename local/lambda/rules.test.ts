import { describe, expect, test } from '@jest/globals';
import { createRules, periodMs } from './rules.ts';

describe('recurring rules', () => {
  test.each([
    ['rate(1 minute)', 60_000],
    ['rate(5 minutes)', 300_000],
    ['rate(2 hours)', 7_200_000],
    ['rate(1 day)', 86_400_000],
  ])('parses %s', (expression, expected) => expect(periodMs(expression)).toBe(expected));

  test('refuse other expressions', () => {
    expect(() => periodMs('cron(0 12 * * ? *)')).toThrow(/rate/);
  });

  test('fire once per period and once for a clock jump over several periods', () => {
    let now = 0;
    const fired: string[] = [];
    const rules = createRules(
      [{ name: 'r', expression: 'rate(1 minute)', targetArns: ['a', 'b'] }],
      () => now,
      target => fired.push(target),
    );
    const tickAt = (time: number) => {
      now = time;
      rules.tick();
      return fired.splice(0);
    };
    expect(tickAt(59_000)).toEqual([]);
    expect(tickAt(60_000)).toEqual(['a', 'b']);
    expect(tickAt(60_100)).toEqual([]);
    expect(tickAt(3_660_000)).toEqual(['a', 'b']);
    expect(tickAt(3_719_000)).toEqual([]);
    expect(tickAt(3_720_000)).toEqual(['a', 'b']);
  });
});
