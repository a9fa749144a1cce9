import { Temporal } from 'temporal-polyfill';
import { AwsError } from './answer.ts';

const AT = /^at\((\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\)$/;

/**
 * When a one-time expression is due, in epoch milliseconds. Recurring schedules come from the template, not from calls,
 * so others are refused. Throws ValidationException.
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
