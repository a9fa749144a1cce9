import type { ValidationDetail } from '../../http/errors.ts';
import type { Post } from '../../model/post.ts';
import { DAY, hasOffset, parseInstant } from '../../time/instant.ts';
import { errorOf } from '../error.ts';

/** How far ahead a post can be scheduled. */
const HORIZON_MS = 365 * DAY;

/** The fields of a post that say when it is published. */
export interface ScheduleInput {
  scheduled_date: string | null;
  /** IANA time zone of a `scheduled_date` without an offset. */
  timezone: string | null;
  add_to_queue: boolean;
  schedule_best_time: boolean;
}

export interface Schedule {
  scheduling: Post['scheduling'];
  /** The given date, epoch milliseconds; null where none was given or it cannot be parsed. */
  scheduled_at: number | null;
  /** The given date has no offset, so that `timezone` applies to it. */
  is_local_time: boolean;
}

/** Parses when a post is published. */
export async function readSchedule(
  input: ScheduleInput,
  now: number,
): Promise<{ schedule: Schedule; errors: ValidationDetail[] }> {
  const given = { ...input, scheduled_date: presentText(input.scheduled_date) };
  const { scheduled_date } = given;
  const timezone = presentText(input.timezone);
  const zone = await readZone(timezone);
  const scheduled_at = scheduled_date === null ? null : await parseDate(scheduled_date, zone);
  const problem = scheduled_date === null ? null : dateProblem(scheduled_at, now);
  return {
    schedule: {
      scheduling: schedulingOf(given),
      scheduled_at,
      is_local_time: scheduled_date !== null && !hasOffset(scheduled_date),
    },
    errors: [
      ...(timezone !== null && zone === null
        ? [errorOf('timezone', 'Must be an IANA time zone such as America/New_York')]
        : []),
      ...conflicts(given),
      ...(problem === null ? [] : [errorOf('scheduled_date', problem)]),
    ],
  };
}

/** Loads what knows time zones: most posts need none. */
const loadZones = () => import('../../time/zone.ts');

/** Returns the usual name of a time zone; null for an unknown one. */
export const readZone = async (name: string | null): Promise<string | null> =>
  name === null ? null : (await loadZones()).zoneName(name);

/** Reads a date-time; one without an offset is a local time of `zone`, or UTC. */
export async function parseDate(text: string, zone: string | null): Promise<number | null> {
  return zone === null ? parseInstant(text) : (await loadZones()).parseInZone(text, zone);
}

/** Without white space around it. An empty form field is sent as an empty text. */
function presentText(text: string | null): string | null {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}

function schedulingOf({
  scheduled_date,
  add_to_queue,
  schedule_best_time,
}: ScheduleInput): Post['scheduling'] {
  if (add_to_queue) return 'queue';
  if (schedule_best_time) return 'best_time';
  return scheduled_date === null ? 'immediate' : 'scheduled';
}

function conflicts({ scheduled_date, add_to_queue, schedule_best_time }: ScheduleInput): ValidationDetail[] {
  const given = [scheduled_date !== null, add_to_queue, schedule_best_time].filter(Boolean).length;
  if (given < 2) return [];
  return [
    errorOf('scheduled_date', 'Only one of scheduled_date, add_to_queue and schedule_best_time can be set'),
  ];
}

function dateProblem(at: number | null, now: number): string | null {
  if (at === null) return 'Must be an ISO 8601 date-time such as 2026-12-01T10:00:00Z';
  if (at <= now) return 'Must be in the future';
  return at > now + HORIZON_MS ? 'Must be at most 365 days ahead' : null;
}
