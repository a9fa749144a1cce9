import * as v from 'valibot';
import type { PublishedPost } from '../../model/destination.ts';
import { failure } from '../../model/failure.ts';
import { JsonObjectSchema, type JsonObject } from '../../model/json.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';
import {
  defineFollowUp,
  type FollowUp,
  type FollowUpResult,
  type PublishJob,
} from '../contract/publisher.ts';
import type { GoogleCredentials } from '../families/google/credentials.ts';
import { atItem } from './current-location.ts';
import { findPost, publishedPost } from './find.ts';
import { getMedia } from './gallery.ts';
import { getLocalPost } from './local-posts.ts';
import { publishPost, REJECTED } from './create.ts';
import { isGalleryOnly } from './rules.ts';
import { callerOf, type Context, type State } from './state.ts';

type GbpFollowUp = FollowUp<State, GoogleCredentials>;

/** Returns what follows a post or video. The review comes first, because it notes the name of the video. */
export const followUpsOf = (job: PublishJob): GbpFollowUp[] =>
  job.post_type === 'video' && !isGalleryOnly(job) ? [review, textPost] : [review];

/** Waits between the readings: 30 seconds, 2, 10, 30 and 60 minutes after publication. */
const WAITS_MS = [30 * SECOND, 90 * SECOND, 8 * MINUTE, 20 * MINUTE, 30 * MINUTE];

const ReviewSchema = v.object({
  readings: v.number(),
  /** Name of the video in the gallery; null for a post without one. */
  video: v.nullable(v.string()),
});
type Review = v.InferOutput<typeof ReviewSchema>;

/** Follows Google's review for an hour. A rejected post fails; a video that disappears is only told. */
const review: GbpFollowUp = defineFollowUp<Review, State, GoogleCredentials>({
  name: 'review',
  idempotent: true,
  state: ReviewSchema,
  initial: () => ({ readings: 0, video: null }),
  run: async (context, state, post) => {
    const { readings, video } = state;
    const waitMs = WAITS_MS[readings];
    const next: Review = { readings: readings + 1, video: readings === 0 ? videoOf(post) : video };
    if (readings === 0) return { type: 'wait', state: next, delayMs: WAITS_MS[0] ?? 0 };
    const read = videoOf(post) === null ? await readPost(context, post) : null;
    if (read?.state === 'REJECTED') return rejected(video === null);
    if (waitMs !== undefined && (video !== null || read?.state !== 'LIVE')) {
      return { type: 'wait', state: next, delayMs: waitMs };
    }
    if (video !== null) await atItem(context, video, name => getMedia(callerOf(context), name));
    return {
      type: 'done',
      amend: read && read.searchUrl !== '' ? { platform_post_url: read.searchUrl } : {},
    };
  },
});

const readPost = (context: Context, { platform_post_id }: PublishedPost) =>
  atItem(context, platform_post_id, name => getLocalPost(callerOf(context), name));

const videoOf = ({ platform_post_id }: PublishedPost): string | null =>
  platform_post_id.includes('/media/') ? platform_post_id : null;

function rejected(revokes: boolean): FollowUpResult<never> {
  const problem = failure('CONTENT_REJECTED', REJECTED);
  return { type: 'rejected', failure: problem, ...(revokes ? { revokes } : {}) };
}

/** Publishes the text of a video, which the gallery does not show. It is the post from then on. */
const textPost: GbpFollowUp = defineFollowUp<JsonObject, State, GoogleCredentials>({
  name: 'text_post',
  state: JsonObjectSchema,
  initial: () => ({}),
  run: async context => {
    const post = await publishPost(context, null);
    return post.state === 'REJECTED'
      ? rejected(false)
      : { type: 'done', amend: amendOf(publishedPost(context, post)) };
  },
  reconcile: async (context, _state, _post, intentAt) => {
    const finding = await findPost(context, intentAt);
    return finding.type === 'published' ? { type: 'done', amend: amendOf(finding.post) } : finding;
  },
});

const amendOf = ({ platform_post_id, platform_post_url }: PublishedPost) => ({
  platform_post_id,
  platform_post_url,
});
