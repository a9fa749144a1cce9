import * as v from 'valibot';
import { EVENT_KINDS, type EventKind } from '../../shared/model/event.ts';
import { FAILURE_CODES } from '../../shared/model/failure.ts';
import { PlatformIdSchema } from '../../shared/model/platform.ts';
import { exampleOf } from './example.ts';
import { toSchema, type Schemas } from './json-schema.ts';

const time = (description: string) => v.pipe(v.string(), v.isoTimestamp(), v.description(description));
const uuid = (description: string) => v.pipe(v.string(), v.uuid(), v.description(description));

const error = v.object({ code: v.picklist(FAILURE_CODES), message: v.string() });
const about = {
  post_id: uuid('The post'),
  profile_name: v.string(),
  platform: PlatformIdSchema,
};
const scheduled_at = time('When the post was to be published; an immediate post: when it was created');

/** What each kind of event tells. */
const DATA = {
  'post.published': v.object({
    ...about,
    platform_post_id: v.nullable(v.string()),
    platform_post_url: v.nullable(v.string()),
    scheduled_at,
    published_at: time('When the platform published it'),
  }),
  'post.failed': v.object({
    ...about,
    scheduled_at,
    failed_at: time('When the service gave it up'),
    attempts: v.pipe(v.number(), v.integer()),
    error,
  }),
  'post.retry': v.object({
    ...about,
    scheduled_at,
    attempt: v.pipe(v.number(), v.integer(), v.description('The attempt that failed, from 1')),
    next_attempt_at: time('When the next attempt begins'),
    error,
  }),
  'post.token_expired': v.object({
    ...about,
    social_account_id: uuid('The account that must be reconnected'),
    reconnect_url: v.string(),
    error,
  }),
} satisfies Record<EventKind, v.GenericSchema>;

const SUMMARIES: Readonly<Record<EventKind, string>> = {
  'post.published': 'A post is live on one platform',
  'post.failed': 'A post was given up for one platform',
  'post.retry': 'A platform did not take a post now; it is tried again',
  'post.token_expired': 'An account must be reconnected before it can publish',
};

/** The body of an event of this kind, as receivers get it. */
export function eventSchema(kind: EventKind) {
  const title = kind.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
  return v.pipe(
    v.object({
      event: v.literal(kind),
      id: uuid('The same for every repetition of the event: deduplicate by it'),
      timestamp: time('When it happened'),
      data: DATA[kind],
    }),
    v.title(`${title}Event`),
    v.description(SUMMARIES[kind]),
  );
}

const text = (description: string) => ({ description, schema: { type: 'string' } });

/** Headers of a delivery. */
const SENT = {
  'X-Service-Signature': text('Lower-case hex HMAC-SHA256 of the raw body, keyed with the signing secret'),
  'X-Service-Event': text('The kind of the event'),
  'webhook-id': text('The id of the event, as Standard Webhooks has it'),
  'webhook-timestamp': text('Seconds since 1970 at which this attempt was signed'),
  'webhook-signature': text(
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; several during a rotation',
  ),
};

/** `x-webhooks`: what the service sends to registered receivers. OpenAPI 3.0 has no place of its own for it. */
export function webhooksOf(named: Schemas): Record<string, unknown> {
  const parameters = Object.entries(SENT).map(([name, header]) => ({
    name,
    in: 'header',
    required: true,
    ...header,
  }));
  const entries = EVENT_KINDS.map(kind => {
    const schema = toSchema(eventSchema(kind), 'output', named);
    const post = {
      operationId: `on-${kind.replace(/[._]/g, '-')}`,
      summary: SUMMARIES[kind],
      tags: ['Webhooks'],
      security: [],
      parameters,
      requestBody: {
        required: true,
        content: { 'application/json': { schema, example: exampleOf(schema, named) } },
      },
      responses: {
        '2XX': {
          description: 'Received. Anything else, or nothing within 10 s, is tried again for about 28 hours.',
        },
        '410': { description: 'Gone: the webhook is switched off' },
      },
    };
    return [kind, { post }] as const;
  });
  return Object.fromEntries<unknown>(entries);
}
