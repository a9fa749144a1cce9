import type { PublishedPost } from '../../model/destination.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import { definePublisher, type Finding, type Step, type StepResult } from '../contract/publisher.ts';
import { GoogleCredentialsSchema, type GoogleCredentials } from '../families/google/credentials.ts';
import { RESTRICT } from './countries.ts';
import { followUpsOf } from './follow-ups.ts';
import { optionsOf, restrictionOf } from './options.ts';
import { isProcessed, problemOf } from './processing.ts';
import { videoStatus } from './resource.ts';
import { isShort } from './rules.ts';
import { callerOf, FRESH, StateSchema, type Context, type Session, type State } from './state.ts';
import { searchTwice, searchUpload, sendRest, SessionGone, upload, withoutSession } from './upload.ts';
import { queryUpload } from './upload-calls.ts';
import { deleteVideo, getVideo, updateVideo } from './videos.ts';
import { onHeldVideo } from './young.ts';

const PROCESSING_POLL_MS = MINUTE;
/** A wait must not end after the post is due. */
const DUE_SOON_MS = 5 * SECOND;
/** How long a lost upload may take to appear in the channel's list. */
const SEARCH_MS = 2 * MINUTE;

type YoutubeStep = Step<State, GoogleCredentials>;

const UPLOAD: YoutubeStep = { name: 'upload', kind: 'prepare', run: upload };
const PROCESS: YoutubeStep = { name: 'process', kind: 'prepare', run: awaitProcessing };
const PUBLISH: YoutubeStep = { name: 'publish', kind: 'commit', run: publish, reconcile };

/**
 * A post that is due is uploaded with its privacy; its commit is the last chunk, with which the video appears. A post for
 * later is uploaded before its time as a private video, and so is one that is restricted to countries; its commit is the
 * change of the privacy.
 */
export const publisher = definePublisher<State, GoogleCredentials>({
  credentials: GoogleCredentialsSchema,
  state: StateSchema,
  sealed: true,
  initial: () => FRESH,
  steps: job =>
    restrictionOf(optionsOf(job)) === null
      ? [UPLOAD, PROCESS, PUBLISH]
      : [UPLOAD, PROCESS, RESTRICT, PUBLISH],
  followUps: followUpsOf,
  discard,
});

/** Waits until a held video is processed, or the post is due. */
async function awaitProcessing(context: Context, state: State): Promise<StepResult<State>> {
  const { job, now } = context;
  if (state.video_id === null) return { type: 'next', state };
  const video = await getVideo(callerOf(context), state.video_id, 'status,processingDetails');
  const problem = video && problemOf(video);
  if (problem) throw new PlatformError({ kind: 'rejected', ...problem });
  if ((video && isProcessed(video)) || job.due_at - now() <= DUE_SOON_MS) return { type: 'next', state };
  return { type: 'wait', state, delayMs: PROCESSING_POLL_MS };
}

async function publish(context: Context, state: State): Promise<StepResult<State>> {
  const { session, video_id, progress } = state;
  if (video_id !== null) return release(context, state, video_id);
  if (!session) return { type: 'back', step: UPLOAD.name, state };
  const live = (id: string): StepResult<State> => ({
    type: 'published',
    post: postOf(context, id, context.now()),
    state,
  });
  try {
    const videoId = await sendRest(context, session, progress);
    return videoId === null ? { type: 'again', state } : live(videoId);
  } catch (error) {
    if (!(error instanceof SessionGone)) throw error;
    const search = await searchTwice(context, state, session).catch(inDoubt);
    if (search.type === 'found') return live(search.video_id);
    return search.type === 'wait'
      ? search
      : { type: 'back', step: UPLOAD.name, state: withoutSession(state) };
  }
}

/** A search that fails leaves open whether the video is live. */
function inDoubt(error: unknown): never {
  if (!(error instanceof PlatformError)) throw error;
  const { kind, code, message, retryAfterMs } = error;
  throw new PlatformError({ kind, code, message, retryAfterMs, outcomeUnknown: true });
}

/** Gives a held video its privacy. */
async function release(context: Context, state: State, videoId: string): Promise<StepResult<State>> {
  const { youtube_privacy_status: privacy } = optionsOf(context.job);
  if (privacy !== 'private') {
    const status = videoStatus(context.job, privacy);
    const { young } = onHeldVideo(context, videoId, state);
    await updateVideo(callerOf(context), { id: videoId, status }, { young });
  }
  return { type: 'published', post: postOf(context, videoId, context.now()), state };
}

async function reconcile(context: Context, state: State, intentAt: number): Promise<Finding> {
  const { session, video_id } = state;
  const live = (id: string): Finding => ({ type: 'published', post: postOf(context, id, intentAt) });
  if (video_id !== null) {
    const video = await getVideo(callerOf(context), video_id, 'status');
    const wanted = optionsOf(context.job).youtube_privacy_status;
    return video?.status?.privacyStatus === wanted ? live(video_id) : { type: 'absent' };
  }
  if (!session) return { type: 'absent' };
  const found = await queryUpload(callerOf(context), session.url, session.size);
  if (found.type === 'complete') return live(found.video_id);
  return found.type === 'partial' ? { type: 'absent' } : search(context, session, intentAt, live);
}

/** The session is gone, which says nothing about its video. */
async function search(
  context: Context,
  session: Session,
  intentAt: number,
  live: (id: string) => Finding,
): Promise<Finding> {
  const videoId = await searchUpload(context, session);
  if (videoId !== null) return live(videoId);
  return context.now() - intentAt >= SEARCH_MS ? { type: 'absent' } : { type: 'wait', delayMs: MINUTE };
}

function postOf({ job }: Context, id: string, publishedAt: number): PublishedPost {
  return {
    platform_post_id: id,
    platform_post_url: `https://www.youtube.com/${isShort(job) ? 'shorts/' : 'watch?v='}${id}`,
    published_at: publishedAt,
  };
}

/** Deletes the private video of a post that failed. An unfinished upload is no video and expires. */
async function discard(context: Context, state: State): Promise<void> {
  await context.quota.release('units', context.job.post_id);
  const videoId = state.video_id ?? (await finishedVideo(context, state));
  if (videoId !== null) await deleteVideo(callerOf(context), videoId);
}

async function finishedVideo(context: Context, { session, finishing }: State): Promise<string | null> {
  if (!session || !finishing) return null;
  const found = await queryUpload(callerOf(context), session.url, session.size);
  if (found.type === 'complete') return found.video_id;
  return found.type === 'gone' ? searchUpload(context, session) : null;
}
