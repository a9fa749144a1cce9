import { MINUTE, SECOND } from '../../time/instant.ts';
import { definePublisher, type Finding, type Step, type StepResult } from '../contract/publisher.ts';
import { searchAfterLoss } from '../kit/finding.ts';
import { lastChunkStart } from './chunks.ts';
import { initPhotos } from './client.ts';
import { checkCreator } from './creator.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { unavailable } from './errors.ts';
import { afterFailure, backTo, FIRST_STEP } from './fail-reasons.ts';
import { findPhotos } from './find.ts';
import { followUpsOf } from './follow-ups.ts';
import { photoRequest } from './post-info.ts';
import { preparePhotos } from './photos.ts';
import { draftOf, postOf } from './post.ts';
import { standingOf } from './standing.ts';
import { callerOf, FRESH, StateSchema, type Context, type State, type Upload } from './state.ts';
import { sendLastChunk, uploadVideo, withoutUpload } from './video.ts';

type TikTokStep = Step<State, Credentials>;

const CREATOR: TikTokStep = { name: FIRST_STEP, kind: 'prepare', run: checkCreator };
const UPLOAD: TikTokStep = { name: 'upload', kind: 'prepare', run: uploadVideo };
const PHOTOS: TikTokStep = { name: 'photos', kind: 'prepare', run: preparePhotos };
const PUBLISH: TikTokStep = { name: 'publish', kind: 'commit', run: publish, reconcile };

/** Intervals of reading the status, by the time since TikTok has everything. */
const POLLS: readonly { until: number; everyMs: number }[] = [
  { until: MINUTE, everyMs: 5 * SECOND },
  { until: 5 * MINUTE, everyMs: 15 * SECOND },
  { until: 15 * MINUTE, everyMs: 30 * SECOND },
];
const LAST_POLL_MS = MINUTE;
/** TikTok may still publish after this time, so that nothing is sent again. */
const PROCESSING_LIMIT_MS = 60 * MINUTE;

/**
 * A video is published with its last chunk, photos with the request that names them. The post is followed until TikTok has
 * processed it: before that, TikTok may still give it up.
 */
export const publisher = definePublisher<State, Credentials>({
  credentials: CredentialsSchema,
  state: StateSchema,
  sealed: true,
  initial: () => FRESH,
  steps: job => [CREATOR, job.post_type === 'video' ? UPLOAD : PHOTOS, PUBLISH],
  followUps: followUpsOf,
});

async function publish(context: Context, state: State): Promise<StepResult<State>> {
  if (state.accepted_at !== null) return afterProcessing(context, state);
  return context.job.post_type === 'video' ? publishVideo(context, state) : publishPhotos(context, state);
}

async function publishPhotos(context: Context, state: State): Promise<StepResult<State>> {
  await context.quota.spend('init', 1);
  const publish_id = await initPhotos(callerOf(context), photoRequest(context.job, state));
  return accepted(context, { ...state, publish_id });
}

async function publishVideo(context: Context, state: State): Promise<StepResult<State>> {
  const { upload } = state;
  if (!upload) return backTo(state);
  const earlier = context.repeatedAfterLoss
    ? await searchAfterLoss(() => resume(context, state, upload))
    : null;
  if (earlier) return earlier;
  const result = await sendLastChunk(context, upload);
  if (result.type === 'complete') return accepted(context, state);
  const next = await resume(context, state, upload);
  if (next) return next;
  if (result.type === 'gone') return backTo(withoutUpload(state));
  throw unavailable('TikTok did not take the last chunk of the video');
}

/** Returns what follows from the status of an upload; null where nothing but its last chunk is missing. */
async function resume(context: Context, state: State, upload: Upload): Promise<StepResult<State> | null> {
  const standing = await standingOf(context, upload.publish_id, upload);
  if (standing.type === 'failed') return afterFailure(context, state, standing.reason);
  if (standing.type !== 'uploading') return accepted(context, state);
  const offset = standing.offset ?? upload.offset;
  if (offset >= lastChunkStart(upload)) return null;
  return { type: 'back', step: UPLOAD.name, state: { ...state, upload: { ...upload, offset } } };
}

/** TikTok has everything and works on it. */
const accepted = ({ now }: Context, state: State): StepResult<State> => ({
  type: 'pending',
  state: { ...state, accepted_at: now() },
  delayMs: pollDelayMs(0),
});

/** TikTok has given up a post that it had taken. */
async function afterProcessing(context: Context, state: State): Promise<StepResult<State>> {
  const standing = await standingOf(context, state.publish_id ?? '', null);
  return standing.type === 'failed'
    ? afterFailure(context, state, standing.reason)
    : { type: 'pending', state, delayMs: pollDelayMs(0) };
}

const pollDelayMs = (elapsedMs: number) =>
  POLLS.find(({ until }) => elapsedMs < until)?.everyMs ?? LAST_POLL_MS;

/** A video is absent while bytes are missing; a process that failed made no post. */
async function reconcile(context: Context, state: State, intentAt: number): Promise<Finding> {
  const { publish_id, upload, accepted_at } = state;
  if (publish_id === null)
    return context.job.post_type === 'video' ? { type: 'absent' } : findPhotos(context, intentAt);
  const standing = await standingOf(context, publish_id, accepted_at === null ? upload : null);
  // A post that is followed has just gone live.
  const publishedAt = accepted_at === null ? intentAt : context.now();
  switch (standing.type) {
    case 'live':
      return { type: 'published', post: postOf(context, state, standing.id, publishedAt) };
    case 'inbox':
      return { type: 'published', post: draftOf(state, publishedAt) };
    case 'failed':
      return { type: 'absent' };
    case 'uploading':
      if (standing.offset !== null) return { type: 'absent' };
  }
  const elapsedMs = context.now() - (accepted_at ?? intentAt);
  return elapsedMs > PROCESSING_LIMIT_MS
    ? { type: 'unknown' }
    : { type: 'wait', delayMs: pollDelayMs(elapsedMs) };
}
