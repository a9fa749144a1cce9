import type { PublishedPost } from '../../model/destination.ts';
import { PlatformError } from '../contract/error.ts';
import { definePublisher, type Finding, type Step, type StepResult } from '../contract/publisher.ts';
import { GoogleCredentialsSchema, type GoogleCredentials } from '../families/google/credentials.ts';
import { ABSENT, resultOf, searchAfterLoss } from '../kit/finding.ts';
import { publishPost, publishVideo, REJECTED } from './create.ts';
import { findPost, findVideo, publishedPost, publishedVideo } from './find.ts';
import { followUpsOf } from './follow-ups.ts';
import { prepare } from './prepare.ts';
import { FRESH, StateSchema, type Context, type State } from './state.ts';

const PREPARE: Step<State, GoogleCredentials> = { name: 'prepare', kind: 'prepare', run: prepare };
const PUBLISH: Step<State, GoogleCredentials> = { name: 'publish', kind: 'commit', run: publish, reconcile };

export const publisher = definePublisher<State, GoogleCredentials>({
  credentials: GoogleCredentialsSchema,
  state: StateSchema,
  initial: () => FRESH,
  steps: () => [PREPARE, PUBLISH],
  followUps: followUpsOf,
});

async function publish(context: Context, state: State): Promise<StepResult<State>> {
  // The list may have lagged behind when the lost request was reconciled.
  const earlier = context.repeatedAfterLoss
    ? await searchAfterLoss(() => find(context, state, context.job.due_at))
    : ABSENT;
  return resultOf(earlier, state) ?? { type: 'published', post: await create(context, state), state };
}

/** Creates the post, or adds the video to the gallery: Google's posts take no videos. */
async function create(context: Context, { media_url }: State): Promise<PublishedPost> {
  if (context.job.post_type === 'video' && media_url !== null) {
    return publishedVideo(context, await publishVideo(context, media_url));
  }
  const post = await publishPost(context, media_url);
  if (post.state !== 'REJECTED') return publishedPost(context, post);
  throw new PlatformError({ kind: 'rejected', code: 'CONTENT_REJECTED', message: REJECTED });
}

const find = (context: Context, state: State, since: number) =>
  context.job.post_type === 'video' ? findVideo(context, state, since) : findPost(context, since);

function reconcile(context: Context, state: State, intentAt: number): Promise<Finding> {
  return find(context, state, intentAt);
}
