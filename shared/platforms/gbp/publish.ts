import type { PublishedPost } from '../../model/destination.ts';
import { PlatformError } from '../contract/error.ts';
import { definePublisher, type Finding, type Step, type StepResult } from '../contract/publisher.ts';
import { GoogleCredentialsSchema, type GoogleCredentials } from '../families/google/credentials.ts';
import { isMissing } from './errors.ts';
import { findPost, findVideo, publishedPost, publishedVideo } from './find.ts';
import { followUpsOf, REJECTED } from './follow-ups.ts';
import { createMedia } from './gallery.ts';
import { createLocalPost } from './local-posts.ts';
import { listAccounts, listLocations } from './locations.ts';
import { prepare } from './prepare.ts';
import { galleryItemOf, localPostOf } from './resource.ts';
import { callerOf, FRESH, locationOf, parentOf, StateSchema, type Context, type State } from './state.ts';

const PREPARE: Step<State, GoogleCredentials> = { name: 'prepare', kind: 'prepare', run: prepare };
const PUBLISH: Step<State, GoogleCredentials> = { name: 'publish', kind: 'commit', run: publish, reconcile };

export const publisher = definePublisher<State, GoogleCredentials>({
  credentials: GoogleCredentialsSchema,
  state: StateSchema,
  initial: () => FRESH,
  steps: () => [PREPARE, PUBLISH],
  followUps: followUpsOf,
});

/** Creates the post, or adds the video to the gallery: Google's posts take no videos. */
async function publish(context: Context, state: State): Promise<StepResult<State>> {
  // The list may have lagged behind when the lost request was reconciled.
  const earlier = context.repeatedAfterLoss ? await find(context, state, context.job.due_at) : null;
  if (earlier) return { type: 'published', post: earlier, state };
  try {
    return { type: 'published', post: await create(context, state), state };
  } catch (error) {
    const parent = isMissing(error) ? await movedTo(context, state) : null;
    if (parent === null) throw error;
    return { type: 'again', state: { ...state, parent } };
  }
}

async function create(context: Context, state: State): Promise<PublishedPost> {
  const { job } = context;
  const { media_url } = state;
  const parent = parentOf(context, state);
  if (job.post_type === 'video' && media_url !== null) {
    return publishedVideo(
      context,
      await createMedia(callerOf(context), parent, galleryItemOf(job, media_url)),
    );
  }
  const language = locationOf(context).attributes['language'] ?? 'en';
  const post = await createLocalPost(callerOf(context), parent, localPostOf(job, { language, media_url }));
  if (post.state === 'REJECTED') throw rejectedByPolicy();
  return publishedPost(context, post);
}

/** Google gives no reason. */
const rejectedByPolicy = () =>
  new PlatformError({
    kind: 'rejected',
    code: 'CONTENT_REJECTED',
    message: REJECTED,
  });

/** Returns the new name of a location that moved to another account; null where it did not. */
async function movedTo(context: Context, state: State): Promise<string | null> {
  const { id } = locationOf(context);
  const caller = callerOf(context);
  const locations = await listLocations(caller, await listAccounts(caller));
  const parent = locations.find(location => location.id === id)?.parent ?? null;
  return parent === parentOf(context, state) ? null : parent;
}

const find = (context: Context, state: State, since: number) =>
  context.job.post_type === 'video' ? findVideo(context, state, since) : findPost(context, state, since);

async function reconcile(context: Context, state: State, intentAt: number): Promise<Finding> {
  const post = await find(context, state, intentAt);
  return post ? { type: 'published', post } : { type: 'absent' };
}
