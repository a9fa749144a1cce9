import { Temporal } from 'temporal-polyfill';
import { AwsError } from './response.ts';

const AT = /^at\((\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\)$/;

/**
 * Returns the time of a one-time expression in epoch milliseconds. Throws ValidationException for anything else: the
 * service creates no recurring schedules.
 */
export function dueAt(expression: string, timeZone: string): number {
  const wallTime = AT.exec(expression)?.[1];
  if (wallTime === undefined) {
    throw new AwsError('ValidationException', `Invalid Schedule Expression ${expression}.`);
  }
  try {
    return Temporal.PlainDateTime.from(wallTime).toZonedDateTime(timeZone).epochMilliseconds;
  } catch {
    throw new AwsError('ValidationException', `Invalid Schedule Expression ${expression} in ${timeZone}.`);
  }
}
