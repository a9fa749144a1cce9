import type { PublishedPost } from '../../model/destination.ts';
import { PlatformError } from '../contract/error.ts';
import { definePublisher, type PublishJob, type Step, type StepResult } from '../contract/publisher.ts';
import { isGraphError } from '../families/meta/errors.ts';
import { titleFor } from '../kit/draft.ts';
import { resultOf, searchAfterLoss } from '../kit/finding.ts';
import { createFeedPost, deleteObject, publishPhoto, type CreatedPost } from './client.ts';
import { firstComment } from './comment.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { previewLink } from './link.ts';
import { areStillStaged, discardPhotos, hostPhotos, photoAt, stagePhotos } from './photos.ts';
import { findPost, reconcile } from './reconcile.ts';
import { rules } from './rules.ts';
import { FRESH, pageOf, restarted, StateSchema, type Context, type State } from './state.ts';
import {
  awaitReelUpload,
  failedVideo,
  hostVideo,
  isReel,
  sendParts,
  uploadReel,
  POLL_MS,
} from './video-upload.ts';
import { statusOnceShown } from './video-status.ts';
import { cancelVideoUpload, finishReel, finishVideoUpload, publishVideoUrl } from './videos.ts';

type FacebookStep = Step<State, Credentials>;

const HOST_PHOTOS: FacebookStep = { name: 'host_photos', kind: 'prepare', run: hostPhotos };
const STAGE_PHOTOS: FacebookStep = { name: 'stage_photos', kind: 'prepare', run: stagePhotos };
const HOST_VIDEO: FacebookStep = { name: 'host_video', kind: 'prepare', run: hostVideo };
const SEND_PARTS: FacebookStep = { name: 'send_parts', kind: 'prepare', run: sendParts };
const UPLOAD_REEL: FacebookStep = { name: 'upload_reel', kind: 'prepare', run: uploadReel };
const AWAIT_REEL: FacebookStep = { name: 'await_reel', kind: 'prepare', run: awaitReelUpload };
const PUBLISH: FacebookStep = { name: 'publish', kind: 'commit', run: publish, reconcile };

export const publisher = definePublisher<State, Credentials>({
  credentials: CredentialsSchema,
  state: StateSchema,
  initial: () => FRESH,
  steps: stepsOf,
  followUps: job => (job.first_comment === null ? [] : [firstComment]),
  discard,
});

function stepsOf(job: PublishJob): FacebookStep[] {
  if (job.post_type === 'video') {
    return isReel({ job })
      ? [HOST_VIDEO, UPLOAD_REEL, AWAIT_REEL, PUBLISH]
      : [HOST_VIDEO, SEND_PARTS, PUBLISH];
  }
  if (job.post_type !== 'image') return [PUBLISH];
  return job.media_urls.length > 1 ? [HOST_PHOTOS, STAGE_PHOTOS, PUBLISH] : [HOST_PHOTOS, PUBLISH];
}

function publish(context: Context, state: State): Promise<StepResult<State>> {
  return context.job.post_type === 'video' ? publishVideo(context, state) : publishPost(context, state);
}

async function publishPost(context: Context, state: State): Promise<StepResult<State>> {
  if (!areStillStaged(state, context.now())) return restage(state);
  try {
    const post = await sendPost(context, state);
    return { type: 'published', post: liveNow(context, post), state };
  } catch (error) {
    if (refusesLink(error) && linkOf(context, state) !== null) {
      return { type: 'back', step: PUBLISH.name, state: { ...state, without_link: true } };
    }
    return afterDuplicate(error, context, state);
  }
}

const restage = (state: State): StepResult<State> => ({
  type: 'back',
  step: STAGE_PHOTOS.name,
  state: { ...state, staged: [], staged_at: null },
});

const liveNow = ({ now }: Context, { id, url }: CreatedPost): PublishedPost => ({
  platform_post_id: id,
  platform_post_url: url,
  published_at: now(),
});

function sendPost(context: Context, state: State): Promise<CreatedPost> {
  const { text } = context.job;
  const page = pageOf(context, state);
  const photo = photoAt(context, state, 0);
  if (photo !== null && state.staged.length === 0) return publishPhoto(page, photo, text);
  return createFeedPost(page, { message: text, link: linkOf(context, state), photoIds: state.staged });
}

function linkOf({ job }: Context, { without_link }: State): string | null {
  return job.post_type === 'text' && !without_link ? previewLink(job.text) : null;
}

const refusesLink = (error: unknown) =>
  isGraphError(error, 1609005) || isGraphError(error, 1500) || isGraphError(error, 200, 1609008);

/**
 * Returns the post of an earlier commit, of which Facebook now says that it is a duplicate. Rethrows other errors, and
 * duplicates of posts that are not ours.
 */
async function afterDuplicate(error: unknown, context: Context, state: State): Promise<StepResult<State>> {
  const isDuplicate = error instanceof PlatformError && error.code === 'DUPLICATE_REJECTED';
  if (!isDuplicate || !context.repeatedAfterLoss) throw error;
  const found = await searchAfterLoss(() =>
    findPost(context, pageOf(context, state), state, context.job.due_at),
  );
  const result = resultOf(found, state);
  if (result) return result;
  throw new PlatformError({ kind: 'rejected', code: 'DELIVERY_UNKNOWN', message: error.message });
}

/** Publishes the video. Facebook only accepts the request; `reconcile` follows the video until it is live. */
async function publishVideo(context: Context, state: State): Promise<StepResult<State>> {
  if (state.accepted_at !== null) return afterProcessing(context, state);
  try {
    const video_id = await sendVideo(context, state);
    const accepted_at = context.now();
    return { type: 'pending', state: { ...state, video_id, accepted_at }, delayMs: POLL_MS };
  } catch (error) {
    const step = isReel(context) ? UPLOAD_REEL.name : SEND_PARTS.name;
    return { type: 'back', step, state: restarted(error, state) };
  }
}

/** Sends the publishing request. Returns the id of the video. */
async function sendVideo(context: Context, state: State): Promise<string> {
  const { job } = context;
  const page = pageOf(context, state);
  const texts = { title: titleFor(rules, job), description: job.text };
  const { session, video_id, video_url } = state;
  if (session) {
    await finishVideoUpload(page, session, texts);
    return session.video_id;
  }
  if (isReel(context) && video_id !== null) {
    await finishReel(page, video_id, texts);
    return video_id;
  }
  return publishVideoUrl(page, video_url ?? '', texts);
}

/** Facebook has given up a video that it had accepted. */
async function afterProcessing(context: Context, state: State): Promise<StepResult<State>> {
  const status = await statusOnceShown(pageOf(context, state), state.video_id ?? '');
  if (status?.problem) throw failedVideo(status.problem);
  return { type: 'pending', state, delayMs: POLL_MS };
}

/** Deletes unpublished photos and unfinished uploads. */
async function discard(context: Context, state: State): Promise<void> {
  if (state.staged.length > 0) await discardPhotos(context, state);
  if (state.accepted_at !== null) return;
  if (state.session) await cancelVideoUpload(pageOf(context, state), state.session);
  else if (state.video_id !== null) await deleteObject(pageOf(context, state), state.video_id);
}
