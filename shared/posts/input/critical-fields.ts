import type { ValidationDetail } from '../../http/errors.ts';
import { RULES } from '../../platforms/registry/rules.ts';
import { nearestName } from '../../text/nearest.ts';
import { errorOf } from '../error.ts';
import { postFields } from './fields.ts';

/*
 * An unknown field is ignored with a warning, unless it probably means a field that decides when, where or whether a
 * post is published. Ignoring that one would publish the post at once, or to the wrong audience.
 */

/** Optional fields that decide when, where or for whom a post is published. Required ones are reported as missing. */
const CRITICAL_FIELDS: readonly string[] = [
  'scheduled_date',
  'timezone',
  'add_to_queue',
  'schedule_best_time',
  ...Object.values(RULES).flatMap(({ target_field, audience_fields = [] }) => [
    ...(target_field === undefined ? [] : [target_field]),
    ...audience_fields,
  ]),
];

const PRIVACY_FIELDS = CRITICAL_FIELDS.filter(field => /privacy|visibility/.test(field));

/** Names that other services give to these fields, as words joined by underscores. */
const OTHER_NAMES: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [
    /^(?:schedul\w*|publi(?:sh|c)\w*|post|send|run|starts?|go_live|live|due|deliver\w*|release)_(?:date|time|datetime|date_time|at|for|on|when)(?:_\w+)?$/,
    'Use scheduled_date',
  ],
  [/^(?:date|datetime|date_time|time|when|schedule|scheduled|schedules|delay\w*)$/, 'Use scheduled_date'],
  [/(?:^|_)(?:tz|time_?zone)(?:_|$)/, 'Use timezone'],
  [
    /(?:^|_)(?:privacy|visibility)(?:_|$)|(?:^|_)(?:private|unlisted)$/,
    `Use the field of the platform: ${PRIVACY_FIELDS.join(', ')}`,
  ],
  [/^(?:queue|queued|enqueue|use_queue|to_queue|in_queue|auto_queue)$/, 'Use add_to_queue'],
  [/^(?:\w+_)?(?:best|optimal)_time\w*$/, 'Use schedule_best_time'],
  [
    /^(?:is_|as_|save_as_)?draft$|^dry_run$|^validate_only$|^test_mode$/,
    'A post is always published. Use POST /posts/validate to check it without publishing',
  ],
  [/^publish(?:_now|_immediately)?$|^post_now$/, 'A post without scheduled_date is published at once'],
];

/** Returns an error for each unknown field that probably means a critical one. */
export function criticalFieldErrors(unknown: readonly string[]): ValidationDetail[] {
  return unknown.flatMap(name => {
    const advice = adviceFor(name);
    return advice === null ? [] : [errorOf(name, `Is not a known field. ${advice}`)];
  });
}

function adviceFor(name: string): string | null {
  const spelled = CRITICAL_FIELDS.find(field => squeezed(field) === squeezed(name));
  if (spelled !== undefined) return `Use ${spelled}`;
  const words = snakeCase(name);
  const nearest = nearestName(words, KNOWN);
  if (nearest !== null && CRITICAL_FIELDS.includes(nearest)) return `Use ${nearest}`;
  return OTHER_NAMES.find(([pattern]) => pattern.test(words))?.[1] ?? null;
}

const KNOWN = Object.keys(postFields);

/** `scheduledDate` and `Scheduled-Date` as `scheduled_date`. */
const snakeCase = (name: string) =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z\d]+/g, '_')
    .toLowerCase();

const squeezed = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '');
