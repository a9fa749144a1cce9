import * as v from 'valibot';
import { FIRST_COMMENT } from '../../model/destination.ts';
import { failure } from '../../model/failure.ts';
import { JsonObjectSchema, type JsonObject } from '../../model/json.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';
import { defineFollowUp, type FollowUp, type PublishJob } from '../contract/publisher.ts';
import type { GoogleCredentials } from '../families/google/credentials.ts';
import { captions } from './captions.ts';
import { countries } from './countries.ts';
import {
  addToPlaylist,
  comment,
  isInPlaylist,
  latestComments,
  setThumbnail,
  type OnVideo,
} from './follow-up-calls.ts';
import { YoutubeError } from './errors.ts';
import { optionsOf, restrictionOf } from './options.ts';
import { isProcessed, problemOf } from './processing.ts';
import { PLACEMENT } from './resource.ts';
import { isShort } from './rules.ts';
import { settings } from './settings.ts';
import { callerOf, type Context, type State } from './state.ts';
import { getVideo, updateVideo } from './videos.ts';
import { onVideo, POLLS, PollsSchema, pollDelayMs, type Polls } from './young.ts';

type YoutubeFollowUp = FollowUp<State, GoogleCredentials>;

const PICTURE_MS = 60 * SECOND;

/** Returns what follows a video. Each runs and fails by itself; the video stays. */
export function followUpsOf(job: PublishJob): YoutubeFollowUp[] {
  const options = optionsOf(job);
  const kids = options.youtube_self_declared_made_for_kids;
  return [
    ...(restrictionOf(options) ? [countries] : []),
    processing,
    ...(options.youtube_has_paid_product_placement ? [placement] : []),
    ...(options.youtube_thumbnail_url !== undefined && !isShort(job) ? [thumbnail] : []),
    ...(options.youtube_caption_url === undefined ? [] : [captions]),
    ...(options.youtube_playlist_id === undefined ? [] : [playlist]),
    ...(job.first_comment !== null && !kids ? [firstComment] : []),
    settings,
  ];
}

/** Follows the processing. A video that YouTube cannot process, or rejects, fails its post. */
const processing: YoutubeFollowUp = defineFollowUp<Polls, State, GoogleCredentials>({
  name: 'processing',
  idempotent: true,
  state: PollsSchema,
  initial: () => ({ polls: 0 }),
  run: async (context, { polls }, post) => {
    const video = await getVideo(callerOf(context), post.platform_post_id, 'status,processingDetails');
    const problem = video && problemOf(video);
    if (problem) {
      return { type: 'rejected', failure: failure(problem.code, problem.message), revokes: true };
    }
    if ((video && isProcessed(video)) || polls >= POLLS) return { type: 'done' };
    return { type: 'wait', state: { polls: polls + 1 }, delayMs: pollDelayMs(polls) };
  },
});

const PlacementSchema = v.object({ needed: v.boolean() });
type PlacementState = v.InferOutput<typeof PlacementSchema>;

/** Declares paid promotion, where YouTube did not accept that with the upload. */
const placement: YoutubeFollowUp = defineFollowUp<PlacementState, State, GoogleCredentials>({
  name: 'paid_promotion',
  idempotent: true,
  state: PlacementSchema,
  initial: (_job, { placement_refused }) => ({ needed: placement_refused }),
  run: async (context, { needed }, post) => {
    const { video_id, young } = onVideo(context, post);
    if (needed) await updateVideo(callerOf(context), { id: video_id, ...PLACEMENT }, { young });
    return { type: 'done' };
  },
});

const thumbnail: YoutubeFollowUp = defineFollowUp<JsonObject, State, GoogleCredentials>({
  name: 'thumbnail',
  idempotent: true,
  state: JsonObjectSchema,
  initial: () => ({}),
  run: async (context, _state, post) => {
    const picture = await context.files.cover('youtube_thumbnail_url', PICTURE_MS);
    if (picture) await setThumbnail(callerOf(context), onVideo(context, post), picture);
    return { type: 'done' };
  },
});

const playlistId = ({ job }: Context) => optionsOf(job).youtube_playlist_id ?? '';

const playlist: YoutubeFollowUp = defineFollowUp<JsonObject, State, GoogleCredentials>({
  name: 'playlist',
  state: JsonObjectSchema,
  initial: () => ({}),
  run: async (context, _state, post) => {
    try {
      await addToPlaylist(callerOf(context), onVideo(context, post), playlistId(context));
    } catch (error) {
      // Only special lists take each video once.
      if (!(error instanceof YoutubeError) || !error.has('videoAlreadyInPlaylist')) throw error;
    }
    return { type: 'done' };
  },
  reconcile: async (context, _state, post) => {
    const added = await isInPlaylist(callerOf(context), onVideo(context, post), playlistId(context));
    return { type: added ? 'done' : 'absent' };
  },
});

const CommentSchema = v.object({ waiting_since: v.nullable(v.number()) });
type CommentState = v.InferOutput<typeof CommentSchema>;

/** YouTube may refuse comments on a video until it is processed; then it is tried nevertheless. */
const COMMENT_WAIT_MS = 15 * MINUTE;

const firstComment: YoutubeFollowUp = defineFollowUp<CommentState, State, GoogleCredentials>({
  name: FIRST_COMMENT,
  state: CommentSchema,
  initial: () => ({ waiting_since: null }),
  run: async (context, { waiting_since }, post) => {
    const on = onVideo(context, post);
    const since = waiting_since ?? context.now();
    if (context.now() - since < COMMENT_WAIT_MS && !(await canComment(context, on))) {
      return { type: 'wait', state: { waiting_since: since }, delayMs: 10 * SECOND };
    }
    const { account, first_comment: text } = context.job;
    await comment(callerOf(context), on, account.platform_user_id, text ?? '');
    return { type: 'done' };
  },
  reconcile: async (context, _state, post) => {
    const { account, first_comment: text } = context.job;
    const comments = await latestComments(callerOf(context), onVideo(context, post));
    const isOurs = (each: (typeof comments)[number]) =>
      each.text === text && each.channel_id === account.platform_user_id;
    return { type: comments.some(isOurs) ? 'done' : 'absent' };
  },
});

async function canComment(context: Context, { video_id }: OnVideo): Promise<boolean> {
  const video = await getVideo(callerOf(context), video_id, 'status');
  return video !== null && isProcessed(video);
}
