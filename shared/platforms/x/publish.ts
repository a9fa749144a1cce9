import { UNKNOWN_POST_ID, type PublishedPost } from '../../model/destination.ts';
import { PlatformError } from '../contract/error.ts';
import {
  definePublisher,
  type Finding,
  type Step,
  type StepContext,
  type StepResult,
} from '../contract/publisher.ts';
import { resultOf, searchAfterLoss } from '../kit/finding.ts';
import { pausingApp } from './app-pause.ts';
import { createPost, recentPosts, type LivePost } from './client.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { sameText, unwrapText } from './text.ts';
import { awaitProcessing, callerOf, describe, FRESH, StateSchema, upload, type State } from './upload.ts';

/** Maximum clock skew between X and the service. */
const CLOCK_SKEW_MS = 5000;
/** X rejects the post as a duplicate of one that it does not show. */
const UNKNOWN_POST: Omit<PublishedPost, 'published_at'> = {
  platform_post_id: UNKNOWN_POST_ID,
  platform_post_url: null,
};

const PREPARATIONS: readonly Step<State, Credentials>[] = [
  { name: 'upload', kind: 'prepare', run: startUpload },
  { name: 'process', kind: 'prepare', run: awaitProcessing },
  { name: 'describe', kind: 'prepare', run: describe },
];
const PUBLISH: Step<State, Credentials> = { name: 'publish', kind: 'commit', run: publish, reconcile };

type Context = StepContext<Credentials>;

export const publisher = definePublisher<State, Credentials>({
  credentials: CredentialsSchema,
  state: StateSchema,
  initial: () => FRESH,
  steps: job =>
    (job.media_urls.length > 0 && job.post_type !== 'text' ? [...PREPARATIONS, PUBLISH] : [PUBLISH]).map(
      pausingApp,
    ),
});

/** Fails before the first byte is sent when the user did not grant the permission to upload. */
function startUpload(context: Context, state: State): Promise<StepResult<State>> {
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

/** Creates the post. X has no idempotency key, so a lost response is reconciled. */
async function publish(context: Context, state: State): Promise<StepResult<State>> {
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
      return afterDuplicate(context, state, error);
    }
    if (rejectsMediaIds(error) && !state.restarted) {
      const { small_parts } = state;
      return { type: 'back', step: 'upload', state: { ...FRESH, restarted: true, small_parts } };
    }
    throw error;
  }
}

/** The lost request had created the post, unless X shows that another post of the account is the duplicate. */
async function afterDuplicate(
  context: Context,
  state: State,
  error: PlatformError,
): Promise<StepResult<State>> {
  const posts = await searchAfterLoss(() => postsLike(context, state, context.job.due_at));
  const unlisted = { ...UNKNOWN_POST, published_at: context.now() };
  if (posts.length === 0) return { type: 'published', post: unlisted, state };
  const result = resultOf(await ownAmong(context, state, posts), state);
  if (result) return result;
  throw error;
}

function rejectsMediaIds({ code, message }: PlatformError): boolean {
  return code === 'MEDIA_REJECTED' && /media ids?/i.test(message);
}

function textOption({ job }: Context, name: string): string | null {
  const value = job.options[name];
  return typeof value === 'string' ? value : null;
}

async function reconcile(context: Context, state: State, intentAt: number): Promise<Finding> {
  // An earlier request may show only now.
  const since = context.repeatedAfterLoss ? context.job.due_at : intentAt;
  return ownAmong(context, state, await postsLike(context, state, since));
}

/** Returns the account's posts since a time that look like the job's. */
async function postsLike(context: Context, state: State, since: number): Promise<LivePost[]> {
  const { job } = context;
  const from = since - CLOCK_SKEW_MS;
  const posts = await recentPosts(callerOf(context), job.account.platform_user_id, from);
  return posts.filter(
    post => Date.parse(post.created_at) >= from && (carries(post, state) ?? hasText(post, job.text)),
  );
}

async function ownAmong(context: Context, state: State, posts: readonly LivePost[]): Promise<Finding> {
  const found = ({ id, created_at }: LivePost) => postOf(context, id, Date.parse(created_at));
  const own = posts.find(post => carries(post, state));
  if (own) return { type: 'published', post: found(own) };
  return context.identify(posts.map(found));
}

/**
 * Tells by the media whether a post is the one: each upload belongs to one post. Media keys end with the media id. Null
 * where the post has no media, or X does not name them.
 */
function carries({ attachments }: LivePost, { uploads }: State): boolean | null {
  const keys = attachments?.media_keys;
  if (!keys) return null;
  return (
    uploads.length === keys.length && uploads.every(({ id }) => keys.some(key => key.endsWith(`_${id}`)))
  );
}

const hasText = ({ text, entities }: LivePost, expected: string) =>
  sameText(unwrapText(text, entities?.urls ?? []), expected);

function postOf({ job }: Context, id: string, publishedAt: number): PublishedPost {
  return {
    platform_post_id: id,
    platform_post_url: `https://x.com/${job.account.username ?? 'i/web'}/status/${id}`,
    published_at: publishedAt,
  };
}
