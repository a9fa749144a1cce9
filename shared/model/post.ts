import * as v from 'valibot';
import { DestinationSchema, isFinal, type Destination } from './destination.ts';
import { JsonObjectSchema } from './json.ts';
import { PLATFORM_IDS, PlatformIdSchema, PostTypeSchema } from './platform.ts';

const Instant = v.pipe(v.number(), v.integer());

/** A post as it is stored, with its destinations. Times are epoch milliseconds. */
export const PostSchema = v.object({
  post_id: v.string(),
  workspace_id: v.string(),
  profile_id: v.string(),
  profile_name: v.string(),
  post_type: PostTypeSchema,
  title: v.nullable(v.string()),
  description: v.nullable(v.string()),
  media_urls: v.array(v.string()),
  /** Alt text of each of `media_urls`; absent or null where it has none. */
  media_alt_texts: v.exactOptional(v.array(v.nullable(v.string()))),
  /** Total size of the media; absent or null while unknown. */
  media_bytes: v.exactOptional(v.nullable(v.pipe(v.number(), v.integer()))),
  first_comment: v.nullable(v.string()),
  auto_truncate: v.boolean(),
  /** Platform fields, flat and as they were sent (`x_reply_settings`, …). */
  options: JsonObjectSchema,
  scheduling: v.picklist(['immediate', 'scheduled', 'queue', 'best_time']),
  /** When the post is to be published; an immediate post is due when it is created. */
  due_at: Instant,
  /** Number of its reservation in the profile's queue slot at `due_at`; absent for posts outside the queue. */
  slot_number: v.exactOptional(v.pipe(v.number(), v.integer())),
  /** Increases with every edit. Queue messages for an older version are ignored. */
  version: v.pipe(v.number(), v.integer()),
  created_by: v.nullable(v.string()),
  /** The request that created the post, for logs. */
  request_id: v.exactOptional(v.string()),
  created_at: Instant,
  updated_at: Instant,
  destinations: v.record(PlatformIdSchema, DestinationSchema),
  /** When the sweeper checks the post next; absent once every destination is settled. */
  wake_at: v.optional(Instant),
  /** Id of the last write that replaced the whole post: its writer recognises it when the response was lost. */
  written_by: v.optional(v.string()),
  /** Id of the item that has the content of a long post; absent where it is in the post's own item. */
  content_id: v.exactOptional(v.string()),
});
export type Post = v.InferOutput<typeof PostSchema>;

export const POST_STATUSES = [
  'scheduled',
  'queued',
  'publishing',
  'published',
  'partially_published',
  'failed',
  'cancelled',
] as const;
export type PostStatus = (typeof POST_STATUSES)[number];

/** Returns the destinations in the order of `PLATFORM_IDS`: a stored map keeps no order. */
export function destinationsOf({ destinations }: Pick<Post, 'destinations'>): Destination[] {
  return PLATFORM_IDS.map(platform => destinations[platform]).filter(each => each !== undefined);
}

/** Derives the status from the destinations. It is never stored, so it cannot disagree with them. */
export function statusOf(post: Post): PostStatus {
  const destinations = destinationsOf(post);
  const statuses = new Set(destinations.map(({ status }) => status));
  const only = (status: Destination['status']) => statuses.size === 1 && statuses.has(status);
  if (only('pending')) return post.scheduling === 'immediate' ? 'queued' : 'scheduled';
  if (only('published')) return 'published';
  if (only('failed')) return 'failed';
  if (!destinations.every(isFinal)) return 'publishing';
  return statuses.has('published') ? 'partially_published' : 'cancelled';
}
