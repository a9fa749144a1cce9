import * as v from 'valibot';
import { FirstCommentSchema } from '../model/destination.ts';
import { FailureSchema } from '../model/failure.ts';
import { PlatformIdSchema, PostTypeSchema } from '../model/platform.ts';
import { POST_STATUSES, PostSchema } from '../model/post.ts';
import { platformFieldDocs } from './input.ts';

/*
 * What `postRecord` and the answers of the post routes hold, for the OpenAPI document.
 */

const text = v.nullable(v.string());
const time = v.pipe(v.string(), v.isoTimestamp());
const id = v.pipe(v.string(), v.uuid());

const DestinationView = v.pipe(
  v.object({
    platform: PlatformIdSchema,
    social_account_id: id,
    status: v.picklist(['pending', 'publishing', 'processing', 'retrying', 'published', 'failed']),
    platform_post_id: text,
    platform_post_url: text,
    published_at: v.nullable(time),
    attempts: v.pipe(v.number(), v.integer()),
    next_attempt_at: v.nullable(time),
    error: v.nullable(FailureSchema),
    first_comment: v.nullable(FirstCommentSchema),
  }),
  v.title('Destination'),
);

const platformFields = Object.fromEntries(
  Object.entries(platformFieldDocs).map(([name, schema]) => [name, v.optional(schema)]),
);

/** A post as the API shows it: its platform fields flat, as they were sent. */
export const PostView = v.pipe(
  v.object({
    ...platformFields,
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
    first_comment: text,
    scheduling: PostSchema.entries.scheduling,
    scheduled_date: v.nullable(time),
    auto_truncate: v.boolean(),
    created_by: v.nullable(id),
    created_at: time,
    updated_at: time,
    published_at: v.nullable(time),
    destinations: v.array(DestinationView),
  }),
  v.title('Post'),
);

export const WarningView = v.pipe(
  v.object({
    code: v.picklist([
      'UNKNOWN_FIELD',
      'IGNORED_FIELD',
      'MEDIA_NOT_CHECKED',
      'MEDIA_CHANGED',
      'DUPLICATE_CONTENT',
      'DEFAULT_GRID',
      'MAY_BE_LIVE',
    ]),
    message: v.string(),
    field: v.optional(v.string()),
    platform: v.optional(PlatformIdSchema),
    similar_post_id: v.optional(id),
    similarity: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  }),
  v.title('Warning'),
  v.description('What was accepted but may not be what was meant.'),
);

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

const CapViolation = v.object({
  platform: PlatformIdSchema,
  type: v.literal('hard_cap'),
  message: v.string(),
  used_last_24h: v.pipe(v.number(), v.integer()),
  cap: v.pipe(v.number(), v.integer()),
});

/** 429: a connected account has as many posts in 24 hours as it may. */
const DailyCapView = v.pipe(
  v.object({ success: v.literal(false), error: v.string(), violations: v.array(CapViolation) }),
  v.title('DailyCapReached'),
);

/** 429: a limit that the platform itself announced. */
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

/** 400: hashtags that a platform hides, and whatever else is wrong with the post. */
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
    'Hashtags that a platform hides. Where the post has other faults too, `error` is `Validation failed` and `details` lists them all, the hashtags among them.',
  ),
);

/** What a post may be refused for beside its own faults, in the answers of the routes that take one. */
export const refusals = {
  400: {
    description: 'Every fault of the post, or the hashtags that a platform hides',
    schema: BannedHashtagsView,
    example: {
      error: 'Validation failed',
      details: [
        {
          field: 'description',
          message: 'Is 301 graphemes long; Bluesky takes 300 (auto_truncate: true would cut it)',
          platform: 'bluesky',
        },
      ],
    },
  },
  429: {
    description: 'An account has reached its cap of 24 hours, a platform its limit, or the key its rate',
    schema: v.union([DailyCapView, PlatformLimitView]),
  },
  503: { description: 'So many posts ask for a slot of the queue at once that this one was always too late' },
};

/** A body of POST /posts, for the document. */
export const POST_EXAMPLE = {
  post_type: 'image',
  profile_name: 'Acme Coffee',
  platforms: ['x', 'bluesky'],
  description: 'Our new blend is out: https://example.com/blend',
  media_urls: ['https://cdn.example.com/blend.jpg'],
  scheduled_date: '2026-12-01T10:00:00Z',
  x_alt_text: 'A bag of coffee beans',
};
