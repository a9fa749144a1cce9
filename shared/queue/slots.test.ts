import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { WEEKDAYS, type QueueSettings } from '../model/queue.ts';
import { DAY, toIso } from '../time/instant.ts';
import { localTime } from '../time/zone.ts';
import { slotsAfter, type Slot } from './slots.ts';

const daily = (timezone: string, ...times: string[]): QueueSettings => ({
  timezone,
  slots: times.map(time => ({ time, days: [...WEEKDAYS] })),
  posts_per_slot: 1,
});

function take(settings: QueueSettings, after: number, count: number): Slot[] {
  const slots = slotsAfter(settings, after);
  return Array.from({ length: count }, () => slots.next().value);
}

const times = (settings: QueueSettings, after: string, count: number) =>
  take(settings, Date.parse(after), count).map(({ at }) => toIso(at).slice(0, 16));

describe('slots', () => {
  test('keep their local time before and after a clock change', () => {
    const settings = daily('America/New_York', '09:00');
    expect(times(settings, '2027-03-13T00:00Z', 2)).toEqual(['2027-03-13T14:00', '2027-03-14T13:00']);
    expect(times(settings, '2026-10-31T00:00Z', 2)).toEqual(['2026-10-31T13:00', '2026-11-01T14:00']);
  });

  test('move to the next existing local time where theirs is skipped', () => {
    const settings = daily('America/New_York', '02:30');
    const spring = ['2027-03-13T07:30', '2027-03-14T07:00', '2027-03-15T06:30'];
    expect(times(settings, '2027-03-13T00:00Z', 3)).toEqual(spring);
    expect(localTime(Date.parse('2027-03-14T07:00Z'), 'America/New_York')).toBe('2027-03-14T03:00');
  });

  test('are used once, the first time, where theirs occurs twice', () => {
    const autumn = ['2027-11-06T05:30', '2027-11-07T05:30', '2027-11-08T06:30'];
    expect(times(daily('America/New_York', '01:30'), '2027-11-06T00:00Z', 3)).toEqual(autumn);
  });

  test('that a clock change moves to the same time are one slot with the capacity of all', () => {
    const found = take(
      daily('America/New_York', '02:00', '02:30', '03:00', '03:30'),
      Date.parse('2027-03-14T06:00Z'),
      2,
    );
    expect(found.map(({ at, capacity }) => [toIso(at).slice(0, 16), capacity])).toEqual([
      ['2027-03-14T07:00', 3],
      ['2027-03-14T07:30', 1],
    ]);
  });

  test('of a day that a zone skips occur at the start of the next day', () => {
    // Samoa went over the date line: the 30th of December 2011 never was.
    const found = take(daily('Pacific/Apia', '09:00'), Date.parse('2011-12-29T20:00Z'), 3);
    expect(found.map(({ at }) => localTime(at, 'Pacific/Apia'))).toEqual([
      '2011-12-31T00:00',
      '2011-12-31T09:00',
      '2012-01-01T09:00',
    ]);
  });

  test('occur on their weekdays only', () => {
    const slots: QueueSettings['slots'] = [
      { time: '10:00', days: ['mon'] },
      { time: '09:00', days: ['sun', 'mon'] },
    ];
    const settings: QueueSettings = { timezone: 'UTC', slots, posts_per_slot: 1 };
    // The 29th of November 2026 is a Sunday.
    expect(times(settings, '2026-11-28T00:00Z', 4)).toEqual([
      '2026-11-29T09:00',
      '2026-11-30T09:00',
      '2026-11-30T10:00',
      '2026-12-06T09:00',
    ]);
  });

  test('start after the given time, not at it', () => {
    const settings = daily('UTC', '09:00');
    expect(times(settings, '2026-12-01T08:59:59.999Z', 1)).toEqual(['2026-12-01T09:00']);
    expect(times(settings, '2026-12-01T09:00:00Z', 1)).toEqual(['2026-12-02T09:00']);
  });
});

const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(parts => parts.map(part => String(part).padStart(2, '0')).join(':'));

const settingsOfAll: fc.Arbitrary<QueueSettings> = fc.record({
  timezone: fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
  slots: fc.uniqueArray(fc.record({ time, days: fc.subarray([...WEEKDAYS], { minLength: 1 }) }), {
    minLength: 1,
    maxLength: 6,
    selector: slot => slot.time,
  }),
  posts_per_slot: fc.integer({ min: 1, max: 5 }),
});

const moments = fc.integer({ min: Date.parse('2005-01-01'), max: Date.parse('2037-01-01') });

/** The first minute at which the clocks of a zone show a wall time, or a later one: found by looking at each. */
function firstMinute(wall: Temporal.PlainDateTime, zone: string): number {
  const from = wall.toZonedDateTime('UTC').epochMilliseconds - DAY;
  const isReached = (at: number) => {
    const shown = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDateTime();
    return Temporal.PlainDateTime.compare(shown, wall) >= 0;
  };
  // By hours first, since clocks change at most twice in two days.
  let at = from;
  while (!isReached(at)) at += DAY / 24;
  at -= DAY / 24;
  while (!isReached(at)) at += 60_000;
  return at;
}

describe('slots of any settings, in any zone, at any time', () => {
  test('ascend; each is a local time of the settings or the next existing one; none is lost or repeated', () => {
    fc.assert(
      fc.property(settingsOfAll, moments, (settings, after) => {
        const found = take(settings, after, 12);
        const { timezone, slots, posts_per_slot } = settings;
        const ats = found.map(({ at }) => at);
        expect(ats).toEqual([...new Set(ats)].sort((a, b) => a - b));
        expect(ats[0]).toBeGreaterThan(after);

        const first = Temporal.Instant.fromEpochMilliseconds(after)
          .toZonedDateTimeISO(timezone)
          .toPlainDate();
        const last = Temporal.Instant.fromEpochMilliseconds(ats.at(-1)!).toZonedDateTimeISO(timezone);
        const expected = new Map<number, number>();
        const end = last.toPlainDate().add({ days: 1 });
        for (
          let day = first.subtract({ days: 1 });
          Temporal.PlainDate.compare(day, end) <= 0;
          day = day.add({ days: 1 })
        ) {
          for (const slot of slots.filter(({ days }) => days.includes(WEEKDAYS[day.dayOfWeek - 1]!))) {
            const at = firstMinute(day.toPlainDateTime(slot.time), timezone);
            if (at > after && at <= ats.at(-1)!) expected.set(at, (expected.get(at) ?? 0) + posts_per_slot);
          }
        }
        const sorted = [...expected].sort(([a], [b]) => a - b).map(([at, capacity]) => ({ at, capacity }));
        expect(found).toEqual(sorted);
      }),
      { numRuns: 150 },
    );
  });

  test('have no end', () => {
    const settings = daily('Europe/Berlin', '09:00', '12:00', '17:00');
    const found = take(settings, Date.parse('2026-12-01'), 3 * 3 * 366);
    expect(toIso(found.at(-1)!.at).slice(0, 4)).toBe('2029');
  });
});
