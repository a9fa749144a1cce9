import * as v from 'valibot';
import type { PublishJob, StepContext } from '../contract/publisher.ts';
import type { Caller } from './call.ts';
import type { Credentials } from './credentials.ts';

/** What TikTok said of the creator before the post was announced. */
const CreatorSchema = v.object({
  username: v.string(),
  comment_disabled: v.boolean(),
  duet_disabled: v.boolean(),
  stitch_disabled: v.boolean(),
  /** Longest video, seconds. */
  max_seconds: v.number(),
});
export type Creator = v.InferOutput<typeof CreatorSchema>;

const UploadSchema = v.object({
  publish_id: v.string(),
  /** A secret: it is enough to write to the upload. */
  url: v.string(),
  type: v.string(),
  size: v.number(),
  chunk_bytes: v.number(),
  /** Number of chunks; the last one has the rest of the bytes too. */
  chunks: v.number(),
  /** Bytes that TikTok has: a chunk starts here. */
  offset: v.number(),
});
export type Upload = v.InferOutput<typeof UploadSchema>;

export const StateSchema = v.object({
  /** Null before it was asked for, and for drafts. */
  creator: v.nullable(CreatorSchema),
  /** URLs from which TikTok fetches the photos, in order. */
  photos: v.array(v.string()),
  upload: v.nullable(UploadSchema),
  /** TikTok's id of the process that makes the post; not the id of the post. */
  publish_id: v.nullable(v.string()),
  /** When TikTok had everything: from then on, only its status is read. Epoch milliseconds. */
  accepted_at: v.nullable(v.number()),
  /** Why the last process failed without a post, and when. The next one begins some time later. */
  failure: v.nullable(v.object({ reason: v.string(), at: v.number() })),
  /** Processes that were given up so far. */
  restarts: v.number(),
  /** Chunk sizes that TikTok refused so far. */
  refused_chunks: v.number(),
});
export type State = v.InferOutput<typeof StateSchema>;

export const FRESH: State = {
  creator: null,
  photos: [],
  upload: null,
  publish_id: null,
  accepted_at: null,
  failure: null,
  restarts: 0,
  refused_chunks: 0,
};

export type Context = StepContext<Credentials>;

export const callerOf = ({ http, credentials }: Context): Caller => ({
  http,
  token: credentials.access_token,
});

/** True for a post that goes to the inbox of the app, where its creator completes it. */
export const isDraft = ({ options }: Pick<PublishJob, 'options'>) =>
  options['tiktok_post_mode'] === 'MEDIA_UPLOAD';
