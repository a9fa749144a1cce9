import { Temporal } from 'temporal-polyfill';
import { firstInstantAt } from './zone.ts';

/** Returns epoch milliseconds as ISO 8601 UTC with milliseconds: `2026-12-01T10:00:00.000Z`. */
export function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

export function toIsoOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : toIso(epochMs);
}

/**
 * The whole text: Temporal would also take a zone in brackets and an offset with seconds, which it ignores where it reads
 * a local time.
 */
const DATE_TIME =
  /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?<offset>Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * Returns the epoch milliseconds of an ISO 8601 date-time with `Z`, an offset or none: then it is a local time of `zone`
 * (IANA name), never of the process. Seconds are optional. Null for anything else, including days that do not exist.
 */
export function parseInstant(text: string, zone = 'UTC'): number | null {
  const trimmed = text.trim();
  if (!DATE_TIME.test(trimmed)) return null;
  try {
    return hasOffset(trimmed)
      ? Temporal.Instant.from(trimmed).epochMilliseconds
      : firstInstantAt(Temporal.PlainDateTime.from(trimmed), zone);
  } catch {
    return null;
  }
}

/** True for a date-time with `Z` or an offset. */
export const hasOffset = (text: string): boolean =>
  DATE_TIME.exec(text.trim())?.groups?.['offset'] !== undefined;

/** Returns the calendar month of an instant in UTC: `2026-12`. */
export const monthOf = (epochMs: number) => toIso(epochMs).slice(0, 7);

/** Returns the start of the next calendar month in UTC, epoch milliseconds. */
export function nextMonth(epochMs: number): number {
  const date = new Date(epochMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
