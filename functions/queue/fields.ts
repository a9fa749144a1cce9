import * as v from 'valibot';
import { WEEKDAYS, WeekdaySchema, type QueueSlot, type Weekday } from '../../shared/model/queue.ts';
import { zoneName } from '../../shared/time/zone.ts';

const MAX_SLOTS = 100;
const MAX_POSTS_PER_SLOT = 100;

/** An IANA time zone name in any case; parsed to its usual spelling. */
const timezoneField = v.pipe(
  v.string(),
  v.trim(),
  v.check(text => zoneName(text) !== null, 'Must be an IANA time zone such as America/New_York'),
  v.transform(text => zoneName(text) ?? text),
);

const timeField = v.pipe(
  v.string(),
  v.trim(),
  v.regex(/^(?:[01]?\d|2[0-3]):[0-5]\d$/, 'Must be a time of day such as 09:00'),
  v.transform(text => text.padStart(5, '0')),
);

const everyDay = (): Weekday[] => [...WEEKDAYS];

const daysField = v.pipe(
  v.array(WeekdaySchema),
  v.nonEmpty('Must contain at least one day; omit it for every day'),
  v.transform(days => WEEKDAYS.filter(day => days.includes(day))),
);

const slotsField = v.pipe(
  v.array(v.object({ time: timeField, days: v.nullish(daysField, everyDay) })),
  v.nonEmpty('Must contain at least one slot'),
  v.maxLength(MAX_SLOTS, `Must contain at most ${MAX_SLOTS} slots`),
  v.check(slots => hasNoDuplicates(slots), 'Must not contain the same time on the same day twice'),
  v.transform(slots => slots.toSorted((a, b) => a.time.localeCompare(b.time))),
);

function hasNoDuplicates(slots: readonly QueueSlot[]): boolean {
  const times = slots.flatMap(({ time, days }) => days.map(day => `${day} ${time}`));
  return new Set(times).size === times.length;
}

const RANGE = `Must be a whole number from 1 to ${MAX_POSTS_PER_SLOT}`;

/** Omitted settings keep their value. */
export const settingsFields = {
  timezone: v.nullish(timezoneField),
  slots: v.nullish(slotsField),
  posts_per_slot: v.nullish(
    v.pipe(v.number(), v.integer(RANGE), v.minValue(1, RANGE), v.maxValue(MAX_POSTS_PER_SLOT, RANGE)),
  ),
};
