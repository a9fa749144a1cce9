import type { PublishedPost } from '../../model/destination.ts';
import { SECOND } from '../../time/instant.ts';
import type { Finding, PublishJob } from '../contract/publisher.ts';
import { sameText } from '../kit/same-text.ts';
import { atLocation } from './current-location.ts';
import { listMedia, type MediaItem } from './gallery.ts';
import { listLocalPosts, type LocalPost } from './local-posts.ts';
import { topicOf } from './resource.ts';
import { titleOfEvent } from './rules.ts';
import { callerOf, locationOf, type Context, type State } from './state.ts';

/*
 * What a location published lately: the evidence for a request whose response was lost. A list that cannot be read is
 * thrown as PlatformError: it is no evidence.
 */

/** Maximum clock skew between Google and the service. */
const CLOCK_SKEW_MS = 5 * SECOND;

/** Looks for the post of the job since a time, whatever its state. */
export async function findPost(context: Context, since: number): Promise<Finding> {
  const from = since - CLOCK_SKEW_MS;
  const posts = await atLocation(context, parent => listLocalPosts(callerOf(context), parent, from));
  const candidates = posts.filter(post => (post.createTime ?? 0) >= from && isPostOf(context, post));
  return context.identify(candidates.map(post => publishedPost(context, post)));
}

/** Google leaves out what is empty, and the title of an event that a plain post has none of. */
function isPostOf({ job }: Context, { summary, topicType, event }: LocalPost): boolean {
  const title = topicOf(job) === 'STANDARD' ? '' : (titleOfEvent(job) ?? '');
  return (
    topicType === topicOf(job) &&
    sameText(summary, job.text) &&
    (title === '' || sameText(event.title, title))
  );
}

/** Looks for the video of the job in the gallery since a time. */
export async function findVideo(context: Context, { media_url }: State, since: number): Promise<Finding> {
  const from = since - CLOCK_SKEW_MS;
  const items = await atLocation(context, parent => listMedia(callerOf(context), parent));
  const candidates = items.filter(
    item =>
      item.mediaFormat === 'VIDEO' &&
      (item.createTime ?? 0) >= from &&
      (item.sourceUrl === null || item.sourceUrl === media_url),
  );
  // Google may not tell where a video is from: any other of the location may be the one.
  const isVideo = ({ post_type }: PublishJob) => post_type === 'video';
  return context.identify(
    candidates.map(item => publishedVideo(context, item)),
    isVideo,
  );
}

/** The link to a post may be missing while Google processes it. */
export const publishedPost = (
  context: Context,
  { name, searchUrl, createTime }: LocalPost,
): PublishedPost => ({
  platform_post_id: name,
  platform_post_url: searchUrl || mapsUrl(context),
  published_at: createTime ?? context.now(),
});

export const publishedVideo = (context: Context, { name, createTime }: MediaItem): PublishedPost => ({
  platform_post_id: name,
  platform_post_url: mapsUrl(context),
  published_at: createTime ?? context.now(),
});

const mapsUrl = (context: Context): string | null => locationOf(context).attributes['maps_url'] ?? null;
