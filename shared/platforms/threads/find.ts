import { UNKNOWN_POST_ID, type PublishedPost } from '../../model/destination.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { Finding, PublishJob } from '../contract/publisher.ts';
import { permalinkFollowUp, showsLater } from '../families/meta/permalink.ts';
import { sameText } from '../kit/same-text.ts';
import { containerStatus, permalinkOf, recentPosts, type LivePost } from './client.ts';
import { hasNoStatus, isMissing } from './errors.ts';
import { textOf } from './prepare.ts';
import type { Credentials } from './credentials.ts';
import { clientOf, isCarousel, type Context, type State } from './state.ts';

/** Maximum clock skew between Threads and the service. */
const CLOCK_SKEW_MS = 5 * SECOND;
/** How long a post that is live is looked for in the list. */
const LISTING_LIMIT_MS = 5 * MINUTE;
const LISTING_DELAY_MS = 30 * SECOND;

/** Asks the container what became of a lost request: a published container says so. */
export async function reconcile(context: Context, state: State, intentAt: number): Promise<Finding> {
  switch (await fateOf(context, state.post.id ?? '')) {
    case 'unpublished':
      return { type: 'absent' };
    case 'gone':
      return findPost(context, state, intentAt);
    case 'published': {
      const finding = await findPost(context, state, intentAt);
      if (finding.type !== 'absent' && finding.type !== 'unknown') return finding;
      const isEarly = context.now() - intentAt < LISTING_LIMIT_MS;
      if (isEarly) return { type: 'wait', delayMs: LISTING_DELAY_MS };
      return { type: 'published', post: unlisted(context, intentAt) };
    }
  }
}

async function fateOf(context: Context, containerId: string): Promise<'published' | 'unpublished' | 'gone'> {
  try {
    const { status } = await containerStatus(clientOf(context), containerId);
    return status === 'PUBLISHED' ? 'published' : 'unpublished';
  } catch (error) {
    // Some containers turn into the post, which has no status.
    if (hasNoStatus(error)) return 'published';
    if (isMissing(error)) return 'gone';
    throw error;
  }
}

/** Looks for the post among the account's own since a time. Throws PlatformError. */
export async function findPost(context: Context, state: State, since: number): Promise<Finding> {
  const { job } = context;
  const from = since - CLOCK_SKEW_MS;
  const posts = await recentPosts(clientOf(context), from);
  const candidates = posts.filter(
    post =>
      Date.parse(post.timestamp) >= from &&
      sameText(post.text, textOf(job, state)) &&
      post.media_type === readTypeOf(job) &&
      (!isCarousel(job) || hasChildren(post, job)),
  );
  return context.identify(candidates.map(listed));
}

const listed = ({ id, permalink: url, timestamp }: LivePost): PublishedPost => ({
  platform_post_id: id,
  platform_post_url: url,
  published_at: Date.parse(timestamp),
});

/** How Threads shows the type of such a post. */
function readTypeOf(job: PublishJob): string {
  if (isCarousel(job)) return 'CAROUSEL_ALBUM';
  return job.media_urls.length === 0 ? 'TEXT_POST' : job.post_type.toUpperCase();
}

const hasChildren = ({ children }: LivePost, { media_urls }: PublishJob) =>
  children === undefined || children.data.length === media_urls.length;

/** Returns the post with its link. A failure to read that never fails the post: a follow-up reads it again. */
export async function postOf(context: Context, id: string): Promise<PublishedPost> {
  const published_at = context.now();
  const url = await permalinkOf(clientOf(context), id).catch((error: unknown) => {
    if (error instanceof PlatformError) return null;
    throw error;
  });
  return { platform_post_id: id, platform_post_url: url, published_at };
}

/** Reads the link of a live post once more. Threads may not show a new post at once. */
export const permalink = permalinkFollowUp<State, Credentials>('Threads', async (context, id) => {
  try {
    return await permalinkOf(clientOf(context), id);
  } catch (error) {
    if (isMissing(error)) throw showsLater(error.message);
    throw error;
  }
});

/** The post is live, and Threads does not list it: the profile is where to look. */
const unlisted = ({ job }: Context, published_at: number): PublishedPost => ({
  platform_post_id: UNKNOWN_POST_ID,
  platform_post_url: profileUrl(job),
  published_at,
});

function profileUrl({ account: { username } }: PublishJob): string | null {
  return username === null ? null : `https://www.threads.com/@${username}`;
}
