/** Returns epoch milliseconds as ISO 8601 UTC with milliseconds: `2026-12-01T10:00:00.000Z`. */
export function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

export function toIsoOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : toIso(epochMs);
}

/** A whole date-time of ISO 8601: nothing may follow it, such as a zone in brackets. */
const DATE_TIME =
  /^(?<date>\d{4}-\d{2}-\d{2})[T ](?<time>\d{2}:\d{2})(?:(?<second>:\d{2})(?:[.,](?<fraction>\d{1,9}))?)?(?<offset>Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * Returns the epoch milliseconds of an ISO 8601 date-time with `Z`, an offset or none, which is UTC, never the zone of the
 * process. Seconds are optional. Null for anything else, including days that do not exist.
 */
export function parseInstant(text: string): number | null {
  const parts = DATE_TIME.exec(text.trim())?.groups;
  if (!parts) return null;
  const { date = '', time = '', second = ':00', fraction = '', offset = 'Z' } = parts;
  const wall = Date.parse(`${date}T${time}${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`);
  // `Date` takes 30 February for a day in March, and 24:00 for the next day.
  if (Number.isNaN(wall) || !toIso(wall).startsWith(date)) return null;
  const ahead = offsetMs(offset);
  return ahead === null ? null : wall - ahead;
}

/** Milliseconds that a zone with this offset is ahead of UTC; null for an offset that does not exist. */
function offsetMs(offset: string): number | null {
  if (offset.toUpperCase() === 'Z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(':', ''));
  if (hours > 23 || minutes > 59) return null;
  return (offset.startsWith('-') ? -1 : 1) * (hours * HOUR + minutes * MINUTE);
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
