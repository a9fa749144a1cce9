import { Temporal } from 'temporal-polyfill';
import { hasOffset, parseInstant } from './instant.ts';

/**
 * Returns the name of an IANA time zone in its usual spelling (`america/new_york` becomes `America/New_York`); null
 * where there is no such zone. An offset is not a zone: it has no daylight saving time.
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
 * Returns the first instant at which the clocks of a zone have reached a wall time, epoch milliseconds. A wall time that
 * is skipped when clocks go forward moves to the next existing one; of one that occurs twice the first is taken.
 */
export function firstInstantAt(wall: Temporal.PlainDateTime, zone: string): number {
  const at = wall.toZonedDateTime(zone, { disambiguation: 'earlier' });
  if (at.toPlainDateTime().equals(wall)) return at.epochMilliseconds;
  // The wall time is skipped and `at` lies just before the transition.
  return (at.getTimeZoneTransition('next') ?? at).epochMilliseconds;
}

/** Reads a date-time like `parseInstant`; one without an offset is a local time of `zone` (IANA name). */
export function parseInZone(text: string, zone: string): number | null {
  const utc = parseInstant(text);
  if (utc === null || hasOffset(text)) return utc;
  return firstInstantAt(
    Temporal.Instant.fromEpochMilliseconds(utc).toZonedDateTimeISO('UTC').toPlainDateTime(),
    zone,
  );
}

/** Returns the local date of an instant in a zone, `2026-12-01`, and its end: the next midnight, epoch milliseconds. */
export function dayIn(zone: string, epochMs: number): { date: string; ends_at: number } {
  const day = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(zone).toPlainDate();
  return { date: day.toString(), ends_at: day.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds };
}

/** Returns the local date and time of an instant in a zone: `2026-12-01T09:00`. */
export function localTime(epochMs: number, zone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(zone);
  return local.toPlainDateTime().toString({ smallestUnit: 'minute' });
}
