import * as v from 'valibot';
import { Temporal } from 'temporal-polyfill';
import { toIso } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import { defineLookup, type PlatformLookups } from '../contract/lookups.ts';
import { GoogleCredentialsSchema } from '../families/google/credentials.ts';
import { isDate, readDate } from './event.ts';
import { CountsSchema, dailyCounts, totalOf, type Days } from './performance.ts';
import { locationId } from './rules.ts';
import { locationOf } from './state.ts';

/** Google's figures arrive two to three days late. */
const LAG_DAYS = 3;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 550;

const day = (description: string) =>
  v.optional(
    v.pipe(
      v.string('Must be a string'),
      v.check(isDate, 'Must be an ISO 8601 date such as 2026-12-01'),
      v.description(description),
    ),
  );

const locationInsights = defineLookup(GoogleCredentialsSchema, {
  name: 'location-insights',
  operation_id: 'getGbpLocationInsights',
  method: 'GET',
  summary: 'Show how people found a business location',
  description:
    'Daily metrics of a location, read from Google. They arrive two to three days late and reach back about 18 months. Google has no metrics of single posts.',
  input: {
    location_id: locationId('Location; default: the default location of the connection'),
    start_date: day('First day; default: 30 days up to the last one'),
    end_date: day('Last day; default: three days ago, the last one with figures'),
  },
  answer: v.object({
    location_id: v.string(),
    start_date: v.string(),
    end_date: v.string(),
    total: CountsSchema,
    days: v.array(v.object({ date: v.string(), ...CountsSchema.entries })),
  }),
  run: async ({ credentials, target }, { location_id, start_date, end_date }, { http, now }) => {
    const id = location_id ?? locationOf({ target }).id;
    const days = daysOf(start_date, end_date, now());
    const caller = { http, token: credentials.access_token, now };
    const counts = await dailyCounts(caller, id, days);
    return {
      location_id: id,
      start_date: days.first.toString(),
      end_date: days.last.toString(),
      total: totalOf([...counts.values()]),
      days: [...counts].map(([date, each]) => ({ date, ...each })),
    };
  },
});

export const lookups: PlatformLookups = [locationInsights];

/** Returns the days of a request. Throws PlatformError `rejected` for a range that Google would not answer. */
function daysOf(first: string | undefined, last: string | undefined, now: number): Days {
  const today = Temporal.PlainDate.from(toIso(now).slice(0, 10));
  const end = readDate(last ?? '') ?? today.subtract({ days: LAG_DAYS });
  const start = readDate(first ?? '') ?? end.subtract({ days: DEFAULT_DAYS - 1 });
  const { days } = start.until(end, { largestUnit: 'days' });
  if (days >= 0 && days < MAX_DAYS) return { first: start, last: end };
  throw new PlatformError({
    kind: 'rejected',
    code: 'CONTENT_REJECTED',
    message: `start_date must be before end_date, by at most ${MAX_DAYS} days`,
  });
}
