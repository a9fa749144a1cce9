import { Temporal } from 'temporal-polyfill';
import type { Draft, Fault } from '../contract/rules.ts';

/** The day that an ISO 8601 date, or date-time, names as it is written: no time zone moves it. Null for none. */
export function readDate(text: string): Temporal.PlainDate | null {
  if (!/^\d{4}-\d{2}-\d{2}(?:$|[T ])/.test(text.trim())) return null;
  try {
    return Temporal.PlainDate.from(text.trim().slice(0, 10));
  } catch {
    return null;
  }
}

export const isDate = (text: string) => readDate(text) !== null;

export const isTime = (text: string) => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text);

/** What is wrong with an event's or offer's title and time. An offer may leave its days out. */
export function eventFaults({ options }: Pick<Draft, 'options'>, title: string | null): Fault[] {
  const topic = options['gbp_topic_type'];
  if (topic !== 'EVENT' && topic !== 'OFFER') return [];
  const faults: Fault[] = [];
  if (title === null) {
    faults.push({
      field: 'gbp_event_title',
      message: `Is required for an ${topic}, unless the post has a title`,
    });
  }
  const start = dateOf(options['gbp_event_start_date']);
  const end = dateOf(options['gbp_event_end_date']);
  if (!start && (topic === 'EVENT' || end)) {
    faults.push({ field: 'gbp_event_start_date', message: `Is required for an ${topic}` });
  }
  if (start && endsEarly(options, start, end ?? start)) {
    const field =
      end && Temporal.PlainDate.compare(end, start) < 0 ? 'gbp_event_end_date' : 'gbp_event_end_time';
    faults.push({ field, message: 'Must not be before the start' });
  }
  return faults;
}

function dateOf(value: unknown): Temporal.PlainDate | null {
  return typeof value === 'string' ? readDate(value) : null;
}

function endsEarly(options: Draft['options'], start: Temporal.PlainDate, end: Temporal.PlainDate): boolean {
  const from = start.toPlainDateTime(timeOf(options['gbp_event_start_time'], '00:00'));
  const until = end.toPlainDateTime(timeOf(options['gbp_event_end_time'], '23:59'));
  return Temporal.PlainDateTime.compare(until, from) < 0;
}

const timeOf = (value: unknown, fallback: string) =>
  Temporal.PlainTime.from(typeof value === 'string' && isTime(value) ? value : fallback);
