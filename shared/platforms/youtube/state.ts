import * as v from 'valibot';
import type { StepContext } from '../contract/publisher.ts';
import type { GoogleCredentials } from '../families/google/credentials.ts';
import { NO_PROGRESS, ProgressSchema } from '../kit/parts.ts';
import type { Caller } from './call.ts';

/** An open upload. Times are epoch milliseconds. */
const SessionSchema = v.object({
  /** A secret: it is enough to write to the upload. */
  url: v.string(),
  slug: v.string(),
  size: v.number(),
  type: v.string(),
  opened_at: v.number(),
  /**
   * True for a video that is uploaded before its time: it is private until it is published. Without it, the last bytes
   * are sent when the post is due, and with them the video appears.
   */
  held: v.boolean(),
});
export type Session = v.InferOutput<typeof SessionSchema>;

export const StateSchema = v.object({
  session: v.nullable(SessionSchema),
  progress: ProgressSchema,
  /** Sessions opened so far. */
  sessions: v.number(),
  /** The last bytes of a held video may have been sent, so that it may exist. */
  finishing: v.boolean(),
  /** When the channel was first searched for a video whose session was lost. Epoch milliseconds. */
  searched_at: v.nullable(v.number()),
  /** The held video, once it exists. */
  video_id: v.nullable(v.string()),
  /** When the held video was uploaded. Epoch milliseconds. */
  uploaded_at: v.optional(v.nullable(v.number()), null),
  /** YouTube did not accept the declaration of paid promotion with the upload. */
  placement_refused: v.boolean(),
  /** Whether YouTube restricts the countries of the video as the post says; null where it was not asked to. */
  restricted: v.optional(v.nullable(v.boolean()), null),
});
export type State = v.InferOutput<typeof StateSchema>;

export const FRESH: State = {
  session: null,
  progress: NO_PROGRESS,
  sessions: 0,
  finishing: false,
  searched_at: null,
  video_id: null,
  uploaded_at: null,
  placement_refused: false,
  restricted: null,
};

export type Context = StepContext<GoogleCredentials>;

/** What is sent for a post is paid from its reservation first. */
export const callerOf = ({ http, credentials, now, quota, job }: Context): Caller => ({
  http,
  token: credentials.access_token,
  now,
  quota,
  reservation: job.post_id,
});
