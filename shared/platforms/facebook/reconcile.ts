import type { PublishedPost } from '../../model/destination.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { Finding } from '../contract/publisher.ts';
import { ABSENT, identifyOnly } from '../kit/finding.ts';
import { sameText } from '../kit/same-text.ts';
import type { PageClient } from './client.ts';
import { recentPosts, recentVideos, type RecentPost } from './recent.ts';
import { pageOf, type Context, type State } from './state.ts';
import { isReel, POLL_MS, PROCESSING_LIMIT_MS } from './video-upload.ts';
import { statusOnceShown, videoStatus, type VideoStatus } from './video-status.ts';

/*
 * What became of a commit whose response was lost. Facebook answers 500 with code 2 to requests that it then carries
 * out, and shows the post a minute later: the post is absent only when it is still missing after several readings.
 */

/** A post that Facebook does not show by then was not published. */
const ABSENT_AFTER_MS = 2.5 * MINUTE;
const READ_AGAIN_MS = MINUTE;
/** A refusal that lasts this long is no accident. It proves nothing: without the permission, no post is shown. */
const REFUSED_AFTER_MS = 15 * MINUTE;
/** Facebook tells whole seconds, and its clock may differ. */
const CLOCK_SKEW_MS = 5 * SECOND;

export async function reconcile(context: Context, state: State, intentAt: number): Promise<Finding> {
  if (state.accepted_at !== null) return followVideo(context, state, state.accepted_at);
  const age = context.now() - intentAt;
  const finding = await lookFor(context, state, intentAt);
  if (finding === null && age >= REFUSED_AFTER_MS) return { type: 'unknown' };
  const isEarly = finding === null || (finding.type === 'absent' && age < ABSENT_AFTER_MS);
  return isEarly ? { type: 'wait', delayMs: READ_AGAIN_MS } : finding;
}

/** Follows a video that Facebook has accepted. It is absent once Facebook has given it up. */
async function followVideo(context: Context, state: State, acceptedAt: number): Promise<Finding> {
  const page = pageOf(context, state);
  const id = state.video_id ?? '';
  const status = await statusOnceShown(page, id);
  if (status?.problem) return ABSENT;
  if (status && (status.isPublished ?? status.isReady)) {
    return { type: 'published', post: videoPostOf(context, page, id, status.url) };
  }
  const isLate = context.now() - acceptedAt > PROCESSING_LIMIT_MS;
  return isLate ? { type: 'unknown' } : { type: 'wait', delayMs: POLL_MS };
}

/** Looks for the post of a commit. Returns null where Facebook refuses to tell. */
async function lookFor(context: Context, state: State, intentAt: number): Promise<Finding | null> {
  // An earlier request may show only now.
  const since = context.repeatedAfterLoss ? context.job.due_at : intentAt;
  try {
    const page = pageOf(context, state);
    if (state.video_id !== null) return await findVideo(context, page, state.video_id);
    if (context.job.post_type === 'video') return await findLostVideo(context, page, state, since);
    return await findPost(context, page, state, since);
  } catch (error) {
    if (error instanceof PlatformError && error.kind === 'rejected') return null;
    throw error;
  }
}

/** Looks for the post of a commit: its text is the same, and it shows the staged photos. */
export async function findPost(
  context: Context,
  page: PageClient,
  state: State,
  since: number,
): Promise<Finding> {
  return choose(context, page, state, since, await recentPosts(page));
}

/**
 * Looks for a video whose id was lost with the response. Where Facebook does not list videos, only its post shows it, and
 * that comes when it is processed: a missing post does not prove that there is no video.
 */
async function findLostVideo(
  context: Context,
  page: PageClient,
  state: State,
  since: number,
): Promise<Finding> {
  const videos = await recentVideos(page);
  if (videos) return choose(context, page, state, since, videos);
  const finding = await choose(context, page, state, since, await recentPosts(page));
  if (finding.type !== 'absent') return finding;
  const isProcessing = context.now() - since < PROCESSING_LIMIT_MS;
  return isProcessing ? { type: 'wait', delayMs: READ_AGAIN_MS } : { type: 'unknown' };
}

/** Chooses the post of a commit since then: its text is the same, and it shows the same media. */
async function choose(
  context: Context,
  page: PageClient,
  state: State,
  since: number,
  posts: readonly RecentPost[],
): Promise<Finding> {
  const isVideo = context.job.post_type === 'video';
  const matches = posts.filter(
    post =>
      post.createdAt >= since - CLOCK_SKEW_MS &&
      sameText(post.text, context.job.text) &&
      hasMediaOf(context, state, post),
  );
  const candidates = matches.map(post => listed(page, post, isVideo));
  const [first] = candidates;
  if (first && state.staged.length > 0) return { type: 'published', post: first };
  // A photo or video without a text of its own can only be told from others while it is the only one.
  return context.job.text === '' ? identifyOnly(context.identify, candidates) : context.identify(candidates);
}

function listed(page: PageClient, post: RecentPost, isVideo: boolean): PublishedPost {
  const id = isVideo ? (post.mediaIds[0] ?? post.id) : post.id;
  const fallback = isVideo ? videoUrl(page.id, id) : `https://www.facebook.com/${id}`;
  return {
    platform_post_id: id,
    platform_post_url: post.url ?? fallback,
    published_at: post.createdAt,
  };
}

/** The permalink of a video, which Facebook tells only once the video is processed. */
const videoUrl = (pageId: string, id: string) => `https://www.facebook.com/${pageId}/videos/${id}/`;

function hasMediaOf({ job }: Context, { staged }: State, { mediaIds }: RecentPost): boolean {
  if (staged.length > 0) return staged.some(id => mediaIds.includes(id));
  return job.post_type === 'text' || mediaIds.length > 0;
}

/** Tells by its status whether an uploaded video was published. */
async function findVideo(context: Context, page: PageClient, id: string): Promise<Finding> {
  const status = await videoStatus(page, id);
  const isLive = isReel(context) ? status.isPublished === true : isAccepted(status);
  return isLive ? { type: 'published', post: videoPostOf(context, page, id, status.url) } : ABSENT;
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
