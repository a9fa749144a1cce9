import * as v from 'valibot';
import type { PublishedPost } from '../../model/destination.ts';
import type { PublishJob, StepContext } from '../contract/publisher.ts';
import { ProgressSchema } from '../kit/parts.ts';
import type { Caller } from './call.ts';
import type { Credentials } from './credentials.ts';

/** An upload with its key. */
const UploadSchema = v.object({
  media_id: v.string(),
  add_path: v.string(),
  finalize_path: v.string(),
  /** Bytes of the file. */
  size: v.number(),
  key: v.string(),
  /** IV of the next part. */
  iv: v.string(),
  progress: ProgressSchema,
});
export type Upload = v.InferOutput<typeof UploadSchema>;

export const StateSchema = v.object({
  upload: v.nullable(UploadSchema),
  /** How often the file was uploaded again, because Snapchat no longer accepted the media. */
  restarts: v.number(),
  /** When Snapchat began to process the media. Epoch milliseconds. */
  processing_since: v.nullable(v.number()),
  /** When Snapchat said that an earlier request is creating the post. Epoch milliseconds. */
  posting_since: v.nullable(v.number()),
  /** The request that creates the post was repeated after its response was lost: that is done once. */
  repeated: v.boolean(),
});
export type State = v.InferOutput<typeof StateSchema>;

export const FRESH: State = {
  upload: null,
  restarts: 0,
  processing_since: null,
  posting_since: null,
  repeated: false,
};

/** Most uploads of a file beside the first. */
const MAX_RESTARTS = 2;

/** Returns the state in which the file is uploaded again; null where that was done too often. */
export const restarted = ({ restarts }: State): State | null =>
  restarts < MAX_RESTARTS ? { ...FRESH, restarts: restarts + 1 } : null;

export type Context = StepContext<Credentials>;

export const callerOf = ({ http, credentials }: Pick<Context, 'http' | 'credentials'>): Caller => ({
  http,
  token: credentials.access_token,
});

/** The public profile of the post: the chosen one, else the user's own. */
export const profileOf = ({ target, job }: Pick<Context, 'target' | 'job'>): string =>
  target?.id ?? job.account.platform_user_id;

export type Kind = 'story' | 'spotlight' | 'saved_story';

export function kindOf({ options }: Pick<PublishJob, 'options'>): Kind {
  const kind = options['snapchat_post_type'];
  return kind === 'spotlight' || kind === 'saved_story' ? kind : 'story';
}

export const titleOf = ({ options }: Pick<PublishJob, 'options'>): string => {
  const title = options['snapchat_saved_story_title'];
  return typeof title === 'string' ? title : '';
};

/** Returns the live post. Without an id of its own, it is known by its media and shown on the profile. */
export function postOf(
  { job, target }: Context,
  id: string | null,
  mediaId: string,
  published_at: number,
): PublishedPost {
  const username = target ? (target.attributes['username'] ?? null) : job.account.username;
  const profile = username === null ? null : `https://www.snapchat.com/add/${encodeURIComponent(username)}`;
  const isSpotlight = kindOf(job) === 'spotlight' && id !== null;
  return {
    platform_post_id: id ?? mediaId,
    platform_post_url: isSpotlight ? `https://www.snapchat.com/spotlight/${encodeURIComponent(id)}` : profile,
    published_at,
  };
}
