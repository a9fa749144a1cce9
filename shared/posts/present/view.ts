import * as v from 'valibot';
import type { Responses } from '../../http/response.ts';
import { FirstCommentSchema, FollowUpSchema } from '../../model/destination.ts';
import { FailureSchema } from '../../model/failure.ts';
import { PlatformIdSchema, PostTypeSchema } from '../../model/platform.ts';
import { POST_STATUSES, PostSchema } from '../../model/post.ts';
import { platformFieldDocs } from '../input/fields.ts';
import { WarningView } from './warning-view.ts';

/*
 * Response schemas of the post routes, for the OpenAPI document and the types of the handlers.
 */

const text = v.nullable(v.string());
const time = v.pipe(v.string(), v.isoTimestamp());
const id = v.pipe(v.string(), v.uuid());

const DestinationView = v.pipe(
  v.object({
    platform: PlatformIdSchema,
    social_account_id: id,
    status: v.picklist([
      'pending',
      'publishing',
      'processing',
      'retrying',
      'published',
      'failed',
      'cancelled',
    ]),
    platform_post_id: text,
    platform_post_url: text,
    published_at: v.nullable(time),
    attempts: v.pipe(v.number(), v.integer()),
    next_attempt_at: v.nullable(time),
    error: v.nullable(FailureSchema),
    first_comment: v.nullable(FirstCommentSchema),
    follow_ups: v.array(FollowUpSchema),
  }),
  v.title('Destination'),
);

const platformFields = Object.fromEntries(
  Object.entries(platformFieldDocs).map(([name, schema]) => [name, v.optional(schema)]),
);

/** The fields that every post has. */
export const PostRecordSchema = v.object({
  post_id: id,
  workspace_id: id,
  profile_id: id,
  profile_name: v.string(),
  post_type: PostTypeSchema,
  status: v.picklist(POST_STATUSES),
  platforms: v.array(PlatformIdSchema),
  title: text,
  description: text,
  media_urls: v.array(v.string()),
  media_alt_texts: v.array(text),
  first_comment: text,
  scheduling: PostSchema.entries.scheduling,
  scheduled_date: v.nullable(time),
  auto_truncate: v.boolean(),
  created_by: v.nullable(id),
  created_at: time,
  updated_at: time,
  published_at: v.nullable(time),
  destinations: v.array(DestinationView),
});
export type PostRecord = v.InferOutput<typeof PostRecordSchema>;

/** A post as the API returns it: platform fields are flat, as they were sent. */
export const PostView = v.pipe(v.object({ ...platformFields, ...PostRecordSchema.entries }), v.title('Post'));

export const CreatedPostView = v.pipe(
  v.object({
    message: v.string(),
    post_id: id,
    destinations_count: v.pipe(v.number(), v.integer()),
    received_type: PostTypeSchema,
    is_immediate: v.boolean(),
    status: v.picklist(POST_STATUSES),
    scheduled_date: v.nullable(time),
    warnings: v.array(WarningView),
  }),
  v.title('CreatedPost'),
);
export type CreatedPost = v.InferOutput<typeof CreatedPostView>;

const CapViolation = v.object({
  platform: PlatformIdSchema,
  type: v.literal('hard_cap'),
  message: v.string(),
  used_last_24h: v.pipe(v.number(), v.integer()),
  cap: v.pipe(v.number(), v.integer()),
});

/** 429: a connected account has reached its daily cap. */
const DailyCapView = v.pipe(
  v.object({ success: v.literal(false), error: v.string(), violations: v.array(CapViolation) }),
  v.title('DailyCapReached'),
);

/** 429: a limit that the platform announced. */
const PlatformLimitView = v.pipe(
  v.object({
    error: v.string(),
    code: v.literal('PLATFORM_RATE_LIMIT'),
    retry_after: v.pipe(v.number(), v.integer()),
    platform: PlatformIdSchema,
    limit: v.pipe(v.number(), v.integer()),
    resets_at: time,
  }),
  v.title('PlatformRateLimit'),
);

/** 400: banned hashtags and other validation errors. */
const BannedHashtagsView = v.pipe(
  v.object({
    error: v.string(),
    details: v.optional(
      v.array(v.object({ field: v.string(), message: v.string(), platform: v.nullable(v.string()) })),
    ),
    violations: v.array(
      v.object({ platform: PlatformIdSchema, hashtag: v.string(), field: v.string(), message: v.string() }),
    ),
  }),
  v.title('BannedHashtags'),
  v.description(
    'Hashtags with which a platform hides posts. Where the post has other errors too, `error` is `Validation failed` and `details` lists all errors, including the hashtags.',
  ),
);

/** Error responses of the routes that accept a post. */
export const postErrorResponses = {
  400: {
    description: 'Every validation error of the post, or its banned hashtags',
    schema: BannedHashtagsView,
    example: {
      error: 'Validation failed',
      details: [
        {
          field: 'description',
          message:
            'Bluesky accepts at most 300 graphemes; the text has 301. Set auto_truncate to true to shorten it',
          platform: 'bluesky',
        },
      ],
    },
  },
  429: {
    description:
      'An account has reached its daily cap or a limit of its platform, or the API key its rate limit',
    schema: v.union([DailyCapView, PlatformLimitView]),
  },
  503: {
    description: 'Too many posts requested a slot of the same queue at the same time',
    codes: ['QUEUE_BUSY'],
  },
} satisfies Responses;

/** Example body of POST /posts, for the OpenAPI document. */
export const POST_EXAMPLE = {
  post_type: 'image',
  profile_name: 'Acme Coffee',
  platforms: ['x', 'bluesky'],
  description: 'Our new blend is out: https://example.com/blend',
  media_urls: ['https://cdn.example.com/blend.jpg'],
  scheduled_date: '2026-12-01T10:00:00Z',
  x_alt_text: 'A bag of coffee beans',
};
