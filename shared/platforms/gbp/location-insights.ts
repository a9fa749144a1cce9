import { Temporal } from 'temporal-polyfill';
import { toIso } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { LookupAccount, LookupContext } from '../contract/lookups.ts';
import type { GoogleCredentials } from '../families/google/credentials.ts';
import { readDate } from './event.ts';
import { dailyCounts, totalOf, type Days } from './performance.ts';
import { locationOf } from './state.ts';

/** Google's figures arrive two to three days late. */
const LAG_DAYS = 3;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 550;

interface Input {
  location_id?: string | undefined;
  /** Calendar days, `2026-12-01`. */
  start_date?: string | undefined;
  end_date?: string | undefined;
}

/** Reads the daily metrics of a location. Throws PlatformError. */
export async function readInsights(
  { credentials, target }: Pick<LookupAccount<GoogleCredentials>, 'credentials' | 'target'>,
  { location_id, start_date, end_date }: Input,
  { http, now }: LookupContext,
) {
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
}

/** Returns the days of a request. Throws PlatformError `rejected` for a range that Google would not answer. */
function daysOf(first: string | undefined, last: string | undefined, now: number): Days {
  const today = Temporal.PlainDate.from(toIso(now).slice(0, 10));
  const end = dayOf(last) ?? today.subtract({ days: LAG_DAYS });
  const start = dayOf(first) ?? end.subtract({ days: DEFAULT_DAYS - 1 });
  const { days } = start.until(end, { largestUnit: 'days' });
  if (days >= 0 && days < MAX_DAYS) return { first: start, last: end };
  throw new PlatformError({
    kind: 'rejected',
    code: 'CONTENT_REJECTED',
    message: `start_date must be before end_date, by at most ${MAX_DAYS} days`,
  });
}

function dayOf(text: string | undefined): Temporal.PlainDate | null {
  const date = readDate(text ?? '');
  return date === null ? null : Temporal.PlainDate.from(date);
}
