import * as v from 'valibot';
import { EVENT_KINDS, type EventKind } from '../../shared/model/event.ts';
import { FAILURE_CODES } from '../../shared/model/failure.ts';
import { PlatformIdSchema } from '../../shared/model/platform.ts';
import { exampleOf } from './example.ts';
import { toSchema } from './json-schema.ts';
import type { Schemas } from './schema.ts';

const time = (description: string) => v.pipe(v.string(), v.isoTimestamp(), v.description(description));
const uuid = (description: string) => v.pipe(v.string(), v.uuid(), v.description(description));

const error = v.object({ code: v.picklist(FAILURE_CODES), message: v.string() });
const count = v.pipe(v.number(), v.integer());
const common = {
  post_id: uuid('Id of the post'),
  profile_name: v.string(),
  platform: PlatformIdSchema,
};
const scheduled_at = time('Scheduled time of the post; for an immediate post its creation time');

const broadcast = {
  session_id: uuid('Id of the live broadcast session'),
  profile_id: uuid('Id of the profile'),
  profile_name: v.string(),
  social_account_id: uuid('Id of the account'),
  title: v.string(),
  youtube_broadcast_id: v.nullable(v.string()),
  broadcast_url: v.string(),
  started_at: v.nullable(time('When it went live; null where it never did')),
};
const broadcastError = v.object({ code: v.string(), message: v.string() });

/** `data` of each kind of event. */
const DATA = {
  'post.published': v.object({
    ...common,
    platform_post_id: v.nullable(v.string()),
    platform_post_url: v.nullable(v.string()),
    scheduled_at,
    published_at: time('When the platform published the post'),
  }),
  'post.failed': v.object({
    ...common,
    scheduled_at,
    failed_at: time('When the destination failed for good'),
    attempts: v.pipe(v.number(), v.integer()),
    error,
  }),
  'post.retry': v.object({
    ...common,
    scheduled_at,
    attempt: v.pipe(v.number(), v.integer(), v.description('Number of the failed attempt, starting at 1')),
    next_attempt_at: time('When the next attempt starts'),
    error,
  }),
  'post.token_expired': v.object({
    ...common,
    social_account_id: uuid('Id of the account that must be reconnected'),
    reconnect_url: v.string(),
    error,
  }),
  'post.completed': v.object({
    post_id: common.post_id,
    profile_name: v.string(),
    status: v.picklist(['published', 'partially_published', 'failed']),
    scheduled_at,
    completed_at: time('When the last destination was published or failed'),
    counts: v.object({ total: count, published: count, failed: count }),
    destinations: v.array(
      v.object({
        platform: PlatformIdSchema,
        status: v.picklist(['published', 'failed']),
        error: v.nullable(error),
      }),
    ),
  }),
  'account.disconnected': v.object({
    social_account_id: uuid('Id of the account that must be reconnected'),
    platform: PlatformIdSchema,
    profile_id: uuid('Id of the profile'),
    profile_name: v.string(),
    display_name: v.string(),
    username: v.nullable(v.string()),
    reason: v.pipe(
      v.picklist(['revoked', 'expires_soon']),
      v.description('`expires_soon`: the credentials work until `expires_at` and cannot be renewed'),
    ),
    expires_at: v.nullable(time('When the access token expires')),
    reconnect_url: v.string(),
    error,
  }),
  'broadcast.live': v.object(broadcast),
  'broadcast.ended': v.object({
    ...broadcast,
    status: v.picklist(['completed', 'stopped']),
    ended_at: v.nullable(time('When it ended')),
    error: v.pipe(
      v.nullable(broadcastError),
      v.description('Why it ended without a request; null after a stop or the end of the playlist'),
    ),
  }),
  'broadcast.failed': v.object({
    ...broadcast,
    status: v.literal('failed'),
    ended_at: v.nullable(time('When it failed')),
    error: broadcastError,
  }),
} satisfies Record<EventKind, v.GenericSchema>;

const SUMMARIES: Readonly<Record<EventKind, string>> = {
  'post.published': 'A post was published on one platform',
  'post.failed': 'A post failed on one platform for good',
  'post.retry': 'An attempt to publish a post on one platform failed and will be retried',
  'post.token_expired': 'An account must be reconnected before it can publish',
  'post.completed': 'A post was published or failed on all of its platforms; only for webhooks that name it',
  'account.disconnected':
    'An account must be reconnected, before a post fails; only for webhooks that name it',
  'broadcast.live': 'A live broadcast went live; only for webhooks that name it',
  'broadcast.ended': 'A live broadcast was completed or stopped; only for webhooks that name it',
  'broadcast.failed': 'A live broadcast failed; only for webhooks that name it',
};

/** Returns the schema of the request body of an event kind. */
export function eventSchema(kind: EventKind) {
  const title = kind.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
  return v.pipe(
    v.object({
      event: v.literal(kind),
      id: uuid('Id of the event, equal in every delivery of it; use it to deduplicate'),
      timestamp: time('When the event occurred'),
      data: DATA[kind],
    }),
    v.title(`${title}Event`),
    v.description(SUMMARIES[kind]),
  );
}

const header = (description: string) => ({ description, schema: { type: 'string' } });

/** Request headers of a delivery. */
const DELIVERY_HEADERS = {
  'X-Service-Signature': header('Lowercase hex HMAC-SHA256 of the raw body, keyed with the signing secret'),
  'X-Service-Event': header('Event kind'),
  'webhook-id': header('Event id (Standard Webhooks)'),
  'webhook-timestamp': header('Unix time in seconds at which this delivery was signed'),
  'webhook-signature': header(
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; several signatures while a secret is rotated',
  ),
};

/** `x-webhooks`: the requests that the service sends to webhooks, which OpenAPI 3.0 has no field for. */
export function webhooksOf(named: Schemas): Record<string, unknown> {
  const parameters = Object.entries(DELIVERY_HEADERS).map(([name, description]) => ({
    name,
    in: 'header',
    required: true,
    ...description,
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
          description:
            'Received. Any other status, or no response within 10 s, is retried for about 28 hours.',
        },
        '410': { description: 'Gone: the webhook is disabled' },
      },
    };
    return [kind, { post }] as const;
  });
  return Object.fromEntries<unknown>(entries);
}
