import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { MetricsReading } from '../model/insight.ts';
import { HOUR, MINUTE, toIso } from '../time/instant.ts';
import { localTime } from '../time/zone.ts';
import { bestCells, DEFAULT_GRID, gridOf, nextOccurrence } from './grid.ts';

const measured = (
  published: string,
  likes: number,
  change: Partial<MetricsReading> = {},
): MetricsReading => ({
  post_id: 'p',
  platform: 'x',
  published_at: Date.parse(published),
  likes,
  comments: 0,
  shares: 0,
  views: 9000,
  measured_at: 1,
  ...change,
});
const iso = (at: number) => toIso(at).slice(0, 16);

describe('the grid', () => {
  test('holds every hour of the week with the mean of likes, comments and shares', () => {
    const grid = gridOf(
      [
        measured('2026-12-01T10:00:00Z', 10),
        measured('2026-12-08T10:59:59Z', 20, { comments: 3, shares: 3 }),
        measured('2026-12-02T10:00:00Z', 5, { views: null, shares: null }),
      ],
      'UTC',
    );
    expect(grid).toHaveLength(168);
    expect(grid.filter(({ samples }) => samples > 0)).toEqual([
      { weekday: 'tue', hour: 10, engagement: 18, samples: 2 },
      { weekday: 'wed', hour: 10, engagement: 5, samples: 1 },
    ]);
    expect(grid.find(({ weekday }) => weekday === 'sun')).toMatchObject({ engagement: null, samples: 0 });
  });

  test('counts hours in the time zone', () => {
    const [best] = bestCells(gridOf([measured('2026-12-01T20:30:00Z', 1)], 'Asia/Tokyo'));
    expect(best).toMatchObject({ weekday: 'wed', hour: 5 });
  });

  test('ranks Tuesday to Thursday at ten first by default', () => {
    expect(DEFAULT_GRID).toHaveLength(168);
    expect(bestCells(DEFAULT_GRID).map(({ weekday, hour }) => `${weekday} ${hour}`)).toEqual([
      'tue 10',
      'wed 10',
      'thu 10',
    ]);
  });
});

describe('the next best time', () => {
  const tuesdays = [{ weekday: 'tue' as const, hour: 10, engagement: 1, samples: 1 }];

  test.each([
    ['2026-12-01T09:55:00.000Z', '2026-12-01T10:00'],
    ['2026-12-01T09:55:00.001Z', '2026-12-08T10:00'],
    ['2026-11-28T00:00:00.000Z', '2026-12-01T10:00'],
  ])('is at least five minutes after %s', (now, next) => {
    expect(iso(nextOccurrence(tuesdays, 'UTC', Date.parse(now)))).toBe(next);
  });

  test('keeps the wall time across a DST change', () => {
    const next = (now: string) => iso(nextOccurrence(tuesdays, 'America/New_York', Date.parse(now)));
    expect([next('2027-03-08T00:00Z'), next('2027-03-14T12:00Z')]).toEqual([
      '2027-03-09T15:00',
      '2027-03-16T14:00',
    ]);
  });

  test('is the hour of the best post, in any time zone, within eight days', () => {
    const times = fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2028-01-01') });
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    fc.assert(
      fc.property(times, times, zones, (published, now, zone) => {
        const grid = gridOf([measured(toIso(published), 1)], zone);
        const next = nextOccurrence(bestCells(grid), zone, now);
        expect(next).toBeGreaterThanOrEqual(now + 5 * MINUTE);
        expect(next).toBeLessThanOrEqual(now + 8 * 24 * HOUR);
        const [hour] = bestCells(gridOf([measured(toIso(next), 1)], zone));
        const skipped = !localTime(next, zone).endsWith(':00');
        if (!skipped) expect([hour!.weekday]).toEqual([bestCells(grid)[0]!.weekday]);
      }),
      { numRuns: 200 },
    );
  });
});
