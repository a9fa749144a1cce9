import { Temporal } from 'temporal-polyfill';

/**
 * The name of an IANA time zone in its usual spelling (`america/new_york` is `America/New_York`); null for what is
 * none. An offset is no zone: it knows no summer time.
 */
export function zoneName(text: string): string | null {
  if (!/^[a-z]/i.test(text)) return null;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text).timeZoneId;
  } catch {
    return null;
  }
}

/**
 * The first instant at which the clocks of a zone have reached a wall time, epoch milliseconds. So a wall time that is
 * skipped when clocks go forward moves to the next one that exists, and one that comes twice is taken once, the first
 * time.
 */
export function firstInstantAt(wall: Temporal.PlainDateTime, zone: string): number {
  const at = wall.toZonedDateTime(zone, { disambiguation: 'earlier' });
  if (at.toPlainDateTime().equals(wall)) return at.epochMilliseconds;
  // The wall time is skipped, and `at` lies just before the change.
  return (at.getTimeZoneTransition('next') ?? at).epochMilliseconds;
}

/** A time of day in a zone, as its people write it: `2026-12-01T09:00`. */
export function localTime(epochMs: number, zone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(zone);
  return local.toPlainDateTime().toString({ smallestUnit: 'minute' });
}
