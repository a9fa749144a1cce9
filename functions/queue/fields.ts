import * as v from 'valibot';
import { WEEKDAYS, WeekdaySchema, type QueueSlot, type Weekday } from '../../shared/model/queue.ts';
import { zoneName } from '../../shared/time/zone.ts';

/** Most slots of a profile, and most posts of a slot. */
const MOST_SLOTS = 100;
const MOST_POSTS = 100;

export const profileNameField = v.pipe(v.string(), v.trim(), v.nonEmpty('Must not be empty'));

/** An IANA name in any case; gives its usual spelling. */
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
  v.nonEmpty('Must name a day; leave it out for every day'),
  v.transform(days => WEEKDAYS.filter(day => days.includes(day))),
);

const slotsField = v.pipe(
  v.array(v.object({ time: timeField, days: v.nullish(daysField, everyDay) })),
  v.nonEmpty('Must hold a slot'),
  v.maxLength(MOST_SLOTS, `Must hold at most ${MOST_SLOTS} slots`),
  v.check(slots => isWithoutRepetition(slots), 'Names the same time of the same day twice'),
  v.transform(slots => slots.toSorted((a, b) => a.time.localeCompare(b.time))),
);

function isWithoutRepetition(slots: readonly QueueSlot[]): boolean {
  const moments = slots.flatMap(({ time, days }) => days.map(day => `${day} ${time}`));
  return new Set(moments).size === moments.length;
}

const RANGE = `Must be a whole number from 1 to ${MOST_POSTS}`;

/** What is left out stays as it is. */
export const settingsFields = {
  timezone: v.nullish(timezoneField),
  slots: v.nullish(slotsField),
  posts_per_slot: v.nullish(
    v.pipe(v.number(), v.integer(RANGE), v.minValue(1, RANGE), v.maxValue(MOST_POSTS, RANGE)),
  ),
};
