import type { PublishedPost } from '../../model/destination.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { Finding } from '../contract/publisher.ts';
import { sameText } from '../kit/same-text.ts';
import type { PageClient } from './client.ts';
import { recentPosts, recentVideos, type RecentPost } from './recent.ts';
import { pageOf, type Context, type State } from './state.ts';
import { isReel } from './video-upload.ts';
import { videoStatus, type VideoStatus } from './video-status.ts';

/*
 * What became of a commit whose response was lost. Facebook answers 500 with code 2 to requests that it then carries
 * out, and shows the post a minute later: the post is absent only when it is still missing after several readings.
 */

/** A post that Facebook does not show by then was not published. */
const ABSENT_AFTER_MS = 2.5 * MINUTE;
const READ_AGAIN_MS = MINUTE;
/** Facebook tells whole seconds, and its clock may differ. */
const CLOCK_SKEW_MS = 5 * SECOND;

export async function reconcile(context: Context, state: State, intentAt: number): Promise<Finding> {
  const post = await lookFor(context, state, intentAt);
  if (post !== null && post !== 'unknown' && post !== 'refused') return { type: 'published', post };
  const isLate = context.now() - intentAt >= ABSENT_AFTER_MS;
  if (post === 'unknown' || (post === 'refused' && isLate)) return { type: 'unknown' };
  return isLate ? { type: 'absent' } : { type: 'wait', delayMs: READ_AGAIN_MS };
}

/** Returns the post of a commit, or why there is none. A refusal proves nothing: without the permission, no post is shown. */
async function lookFor(
  context: Context,
  state: State,
  intentAt: number,
): Promise<PublishedPost | 'unknown' | 'refused' | null> {
  try {
    const page = pageOf(context, state);
    if (state.video_id !== null) return await findVideo(context, page, state.video_id);
    return await findPost(context, page, state, intentAt);
  } catch (error) {
    if (error instanceof PlatformError && error.kind === 'rejected') return 'refused';
    throw error;
  }
}

/** Finds the post of a commit: its text is the same, and it shows the staged photos. Null where there is none. */
export async function findPost(
  context: Context,
  page: PageClient,
  state: State,
  since: number,
): Promise<PublishedPost | 'unknown' | null> {
  const isVideo = context.job.post_type === 'video';
  const posts = (isVideo ? await recentVideos(page) : null) ?? (await recentPosts(page));
  const matches = posts.filter(
    post =>
      post.createdAt >= since - CLOCK_SKEW_MS &&
      sameText(post.text, context.job.text) &&
      hasMediaOf(context, state, post),
  );
  const [match, ...others] = matches;
  if (!match) return null;
  // A photo or video without a text of its own can only be told from others while it is the only one.
  if (others.length > 0 && context.job.text === '' && state.staged.length === 0) return 'unknown';
  const id = isVideo ? (match.mediaIds[0] ?? match.id) : match.id;
  const fallback = isVideo ? videoUrl(page.id, id) : `https://www.facebook.com/${id}`;
  return {
    platform_post_id: id,
    platform_post_url: match.url ?? fallback,
    published_at: match.createdAt,
  };
}

/** The permalink of a video, which Facebook tells only once the video is processed. */
const videoUrl = (pageId: string, id: string) => `https://www.facebook.com/${pageId}/videos/${id}/`;

function hasMediaOf({ job }: Context, { staged }: State, { mediaIds }: RecentPost): boolean {
  if (staged.length > 0) return staged.some(id => mediaIds.includes(id));
  return job.post_type === 'text' || mediaIds.length > 0;
}

/** Tells by its status whether an uploaded video was published. Null where it was not. */
async function findVideo(context: Context, page: PageClient, id: string): Promise<PublishedPost | null> {
  const status = await videoStatus(page, id);
  const isLive = isReel(context) ? status.isPublished === true : isAccepted(status);
  return isLive ? videoPostOf(context, page, id, status.url) : null;
}

/** A video that was sent in parts is processed only after it was published. */
const isAccepted = ({ isPublished, isReady, isProcessing }: VideoStatus) =>
  isPublished === true || isReady || isProcessing;

/** Returns a live video as it is stored. */
export function videoPostOf(
  context: Context,
  page: PageClient,
  id: string,
  url: string | null,
): PublishedPost {
  return {
    platform_post_id: id,
    platform_post_url: isReel(context)
      ? `https://www.facebook.com/reel/${id}`
      : (url ?? videoUrl(page.id, id)),
    published_at: context.now(),
  };
}
