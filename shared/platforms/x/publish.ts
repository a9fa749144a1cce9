import type { PublishedPost } from '../../model/destination.ts';
import { PlatformError } from '../contract/error.ts';
import {
  definePublisher,
  type Finding,
  type Step,
  type StepContext,
  type StepResult,
} from '../contract/publisher.ts';
import { createPost, recentPosts, type LivePost } from './client.ts';
import { sameText, unwrapText } from './text.ts';
import { awaitProcessing, callerOf, describe, FRESH, StateSchema, upload, type State } from './upload.ts';

/** How far X's clock may be behind ours. */
const CLOCK_SLACK_MS = 5000;
/** X says that the post is live, and shows it nowhere. */
const UNKNOWN_POST: Omit<PublishedPost, 'published_at'> = {
  platform_post_id: 'unknown',
  platform_post_url: null,
};

const PREPARATIONS: readonly Step<State>[] = [
  { name: 'upload', kind: 'prepare', run: startUpload },
  { name: 'process', kind: 'prepare', run: awaitProcessing },
  { name: 'describe', kind: 'prepare', run: describe },
];
const PUBLISH: Step<State> = { name: 'publish', kind: 'commit', run: publish, reconcile };

export const publisher = definePublisher<State>({
  state: StateSchema,
  initial: () => FRESH,
  steps: job =>
    job.media_urls.length > 0 && job.post_type !== 'text' ? [...PREPARATIONS, PUBLISH] : [PUBLISH],
});

/** A permission that the user did not grant shows before the first byte is sent. */
function startUpload(context: StepContext, state: State): Promise<StepResult<State>> {
  const scopes = context.job.account.attributes['scopes']?.split(' ');
  if (scopes?.includes('media.write') === false) {
    throw new PlatformError({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      message: 'The account was connected without the permission media.write',
    });
  }
  return upload(context, state);
}

/** X has no idempotency key: the delivery machine marks this step before it runs and asks `reconcile` when in doubt. */
async function publish(context: StepContext, state: State): Promise<StepResult<State>> {
  const { job } = context;
  try {
    const id = await createPost(callerOf(context), {
      text: job.text,
      mediaIds: state.uploads.map(({ id: mediaId }) => mediaId),
      replySettings: textOption(context, 'x_reply_settings'),
    });
    return { type: 'published', post: postOf(context, id, context.now()), state };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (error.code === 'DUPLICATE_REJECTED' && context.repeatedAfterLoss) {
      const found = await find(context, state, job.due_at);
      return { type: 'published', post: found ?? { ...UNKNOWN_POST, published_at: context.now() }, state };
    }
    if (refusesMediaIds(error) && !state.restarted) {
      return { type: 'back', step: 'upload', state: { ...FRESH, restarted: true } };
    }
    throw error;
  }
}

function refusesMediaIds({ code, message }: PlatformError): boolean {
  return code === 'MEDIA_REJECTED' && /media ids?/i.test(message);
}

function textOption({ job }: StepContext, name: string): string | null {
  const value = job.options[name];
  return typeof value === 'string' ? value : null;
}

async function reconcile(context: StepContext, state: State, intentAt: number): Promise<Finding> {
  const post = await find(context, state, intentAt);
  return post ? { type: 'published', post } : { type: 'absent' };
}

async function find(context: StepContext, state: State, since: number): Promise<PublishedPost | null> {
  const { job } = context;
  const from = since - CLOCK_SLACK_MS;
  const posts = await recentPosts(callerOf(context), job.account.platform_user_id, from);
  const match = posts.find(
    post =>
      Date.parse(post.created_at) >= from &&
      sameText(unwrapText(post.text, post.entities?.urls ?? []), job.text) &&
      carries(post, state),
  );
  return match ? postOf(context, match.id, Date.parse(match.created_at)) : null;
}

/** Texts may be equal or empty: where X names the media of a post, they must be ours. Keys end with the media id. */
function carries(post: LivePost, { uploads }: State): boolean {
  const keys = post.attachments?.media_keys;
  if (!keys) return true;
  return (
    uploads.length === keys.length && uploads.every(({ id }) => keys.some(key => key.endsWith(`_${id}`)))
  );
}

function postOf({ job }: StepContext, id: string, publishedAt: number): PublishedPost {
  return {
    platform_post_id: id,
    platform_post_url: `https://x.com/${job.account.username ?? 'i/web'}/status/${id}`,
    published_at: publishedAt,
  };
}
