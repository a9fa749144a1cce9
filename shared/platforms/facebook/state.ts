import * as v from 'valibot';
import { PlatformError } from '../contract/error.ts';
import type { StepContext } from '../contract/publisher.ts';
import { ProgressSchema } from '../kit/parts.ts';
import { pageClient, type PageClient } from './client.ts';
import type { Credentials } from './credentials.ts';

export type Context = StepContext<Credentials>;

export const StateSchema = v.object({
  /** The Page that the uploads and the post belong to; null before the first step. */
  page_id: v.nullable(v.string()),
  /** URLs of the photos as Facebook gets them, in order. */
  photos: v.array(v.string()),
  /** Ids of unpublished photos, in order, and when the first was uploaded (epoch milliseconds). */
  staged: v.array(v.string()),
  staged_at: v.nullable(v.number()),
  /** Facebook refused the link of the text: it is not sent as a preview. */
  without_link: v.boolean(),
  /** URL of the video as Facebook gets it; null where it is sent in parts. */
  video_url: v.nullable(v.string()),
  /** The video at Facebook. */
  video_id: v.nullable(v.string()),
  upload_url: v.nullable(v.string()),
  session: v.nullable(
    v.object({ id: v.string(), video_id: v.string(), end: v.number(), progress: ProgressSchema }),
  ),
  /** When the publishing of the video was accepted. Epoch milliseconds. */
  accepted_at: v.nullable(v.number()),
  /** When Facebook began to work on the video. Epoch milliseconds. */
  processing_since: v.nullable(v.number()),
  /** How often broken uploads were started again. */
  restarts: v.number(),
});
export type State = v.InferOutput<typeof StateSchema>;

export const FRESH: State = {
  page_id: null,
  photos: [],
  staged: [],
  staged_at: null,
  without_link: false,
  video_url: null,
  video_id: null,
  upload_url: null,
  session: null,
  accepted_at: null,
  processing_since: null,
  restarts: 0,
};

/**
 * Returns the Page of the post. Throws PlatformError `rejected` where another was chosen meanwhile: its token can
 * neither use nor find what belongs to the first one.
 */
export function pageOf(context: Context, { page_id }: State): PageClient {
  const page = pageClient(context);
  if (page_id === null || page_id === page.id) return page;
  throw new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message: `The post was begun on another Page (${page_id}): choose that Page again, or create a new post`,
  });
}

/** Most times that a broken upload is started again. */
const MAX_RESTARTS = 2;

/** Returns the state to upload everything again with. Rethrows, as final, what was tried often enough. */
export function restarted(error: unknown, state: State): State {
  const isBroken =
    error instanceof PlatformError && error.kind === 'transient' && error.code === 'MEDIA_REJECTED';
  if (!isBroken) throw error;
  if (state.restarts < MAX_RESTARTS) {
    return { ...FRESH, page_id: state.page_id, video_url: state.video_url, restarts: state.restarts + 1 };
  }
  throw new PlatformError({ kind: 'rejected', code: 'MEDIA_REJECTED', message: error.message });
}
