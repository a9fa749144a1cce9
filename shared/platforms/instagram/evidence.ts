import { UNKNOWN_POST_ID, type PublishedPost } from '../../model/destination.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';
import type { Finding, PublishJob } from '../contract/publisher.ts';
import { identifyOnly } from '../kit/finding.ts';
import { recentMedia, type LiveMedia } from './media.ts';
import { readStatus } from './prepare.ts';
import { isStory } from './rules.ts';
import { accessesFor, finalContainer, isCarousel, type Context, type State } from './state.ts';

/** Instagram's times have whole seconds, and its clock may differ. */
const CLOCK_SKEW_MS = 10 * SECOND;
/** How long a published media may be missing in the lists. */
const LIST_DELAY_MS = 2 * MINUTE;
/** A list without captions for this long is no accident: that host does not show them. */
const CAPTION_LIMIT_MS = 15 * MINUTE;
/** How long evidence is looked for while Instagram does not show the container. */
const HIDDEN_LIMIT_MS = 5 * MINUTE;
const AGAIN_MS = 30 * SECOND;

/**
 * Returns what Instagram says about a publishing request that was sent at `since`: by the status of the container, and by
 * the list of media. Throws PlatformError where a read fails, which proves nothing.
 */
export async function evidence(context: Context, state: State, since: number): Promise<Finding> {
  const container = finalContainer(state);
  if (!container) return { type: 'unknown' };
  const status = await readStatus(context, container);
  const media = await recentMedia(accessesFor(context), isStory(context.job) ? 'stories' : 'media');
  const found = await findMedia(context, media, since);
  if (found.type === 'published' || found.type === 'wait') return found;
  const age = context.now() - since;
  switch (status?.code) {
    case 'PUBLISHED':
      if (age < (hasCaptions(media) ? LIST_DELAY_MS : CAPTION_LIMIT_MS))
        return { type: 'wait', delayMs: AGAIN_MS };
      return { type: 'published', post: unknownPost(context, since) };
    case 'FINISHED':
    case 'ERROR':
    case 'EXPIRED':
      return { type: 'absent' };
    case undefined:
      return age < HIDDEN_LIMIT_MS ? { type: 'wait', delayMs: MINUTE } : { type: 'unknown' };
    default:
      return { type: 'wait', delayMs: AGAIN_MS };
  }
}

const hasCaptions = (media: readonly LiveMedia[]) => media.every(({ caption }) => caption !== null);

/** Looks for the only media since then that looks like the post. */
async function findMedia(context: Context, media: readonly LiveMedia[], since: number): Promise<Finding> {
  const { job } = context;
  const candidates = media.filter(each => each.published_at >= since - CLOCK_SKEW_MS && looksLike(each, job));
  return identifyOnly(context.identify, candidates.map(postOf), other =>
    isStory(job) ? isStory(other) : comparable(other.text) === comparable(job.text),
  );
}

function looksLike({ caption, media_type, product }: LiveMedia, job: PublishJob): boolean {
  const type = job.post_type === 'video' ? 'VIDEO' : isCarousel(job) ? 'CAROUSEL_ALBUM' : 'IMAGE';
  if (media_type !== null && media_type !== type) return false;
  if (isStory(job)) return true;
  const expected = job.post_type === 'video' ? 'REELS' : 'FEED';
  if (product !== null && product !== expected) return false;
  return caption !== null && comparable(caption) === comparable(job.text);
}

/** Captions read back without their `@` signs. */
export function comparable(text: string): string {
  return text.replaceAll('@', '').replace(/\r\n?/g, '\n').trim();
}

function postOf({ id, permalink, published_at }: LiveMedia): PublishedPost {
  return { platform_post_id: id, platform_post_url: permalink, published_at };
}

function unknownPost({ target, account, job }: Context, since: number): PublishedPost {
  const username = target?.attributes['username'] ?? account.username;
  return {
    platform_post_id: UNKNOWN_POST_ID,
    platform_post_url: username === null ? null : `https://www.instagram.com/${username}/`,
    published_at: Math.max(since, job.due_at),
  };
}
