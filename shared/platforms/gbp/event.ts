import { DAY, parseInstant, toIso } from '../../time/instant.ts';
import type { Draft, RuleViolation } from '../contract/rules.ts';

/**
 * Returns the calendar day, `2026-12-01`, of an ISO 8601 date or date-time as written, without time zone conversion; null
 * where it is neither.
 */
export function readDate(text: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}(?:$|[T ])/.test(text.trim())) return null;
  const date = text.trim().slice(0, 10);
  return parseInstant(`${date}T00:00Z`) === null ? null : date;
}

export const isDate = (text: string) => readDate(text) !== null;

export const isTime = (text: string) => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text);

/** Returns the violations of an event's or offer's title, dates and times. An offer may have no dates. */
export function eventViolations({ options }: Pick<Draft, 'options'>, title: string | null): RuleViolation[] {
  const topic = options['gbp_topic_type'];
  if (topic !== 'EVENT' && topic !== 'OFFER') return [];
  const violations: RuleViolation[] = [];
  if (title === null) {
    violations.push({
      field: 'gbp_event_title',
      message: `Is required with gbp_topic_type ${topic} unless title is set`,
    });
  }
  const start = dateOf(options['gbp_event_start_date']);
  const end = dateOf(options['gbp_event_end_date']);
  if (!start && (topic === 'EVENT' || end)) {
    violations.push({ field: 'gbp_event_start_date', message: `Is required with gbp_topic_type ${topic}` });
  }
  if (start && endsBeforeStart(eventTimes(options, start))) {
    const field = end && end < start ? 'gbp_event_end_date' : 'gbp_event_end_time';
    violations.push({ field, message: 'Must not be before the start' });
  }
  return violations;
}

/** Start and end of an event or offer, `2026-12-01T09:00`: local times of the location, whose time zone Google knows. */
export interface EventTimes {
  start: string;
  end: string;
}

/** An offer without dates ends after this time. */
const OFFER_DAYS = 7;

/** Returns the times of an event or offer. Without dates it begins `today`. */
export function eventTimes(options: Draft['options'], today: string): EventTimes {
  const given = dateOf(options['gbp_event_start_date']);
  const start = given ?? today;
  const end = dateOf(options['gbp_event_end_date']) ?? (given ? start : daysAfter(start, OFFER_DAYS));
  return {
    start: `${start}T${timeOf(options['gbp_event_start_time'], '00:00')}`,
    end: `${end}T${timeOf(options['gbp_event_end_time'], '23:59')}`,
  };
}

/** Days of UTC all have 24 hours. */
const daysAfter = (date: string, days: number) =>
  toIso((parseInstant(`${date}T00:00Z`) ?? 0) + days * DAY).slice(0, 10);

const endsBeforeStart = ({ start, end }: EventTimes) => end < start;

function dateOf(value: unknown): string | null {
  return typeof value === 'string' ? readDate(value) : null;
}

const timeOf = (value: unknown, fallback: string) =>
  typeof value === 'string' && isTime(value) ? value : fallback;
