import { Temporal } from 'temporal-polyfill';

/** The zone in which Google counts the days of a quota. */
export const QUOTA_ZONE = 'America/Los_Angeles';

/** Returns the next midnight in Pacific Time, when Google resets the daily quotas of a project. Epoch milliseconds. */
export function nextQuotaReset(now: number): number {
  const day = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(QUOTA_ZONE).toPlainDate();
  return day.add({ days: 1 }).toZonedDateTime(QUOTA_ZONE).epochMilliseconds;
}
