import type { PublishJob } from '../contract/publisher.ts';
import { altTextOf } from '../kit/draft.ts';
import { isStory, usernames } from './rules.ts';

/* The parameters of `POST /{account}/media`. Some that are misplaced are ignored, others fail the request. */

/** How the video of a container arrives: Instagram fetches it, or it is uploaded afterwards. */
export type VideoSource = { url: string } | 'upload';

/** Returns the parameters of an image, alone in its post or one of a carousel. */
export function imageParameters(job: PublishJob, index: number, url: string): Record<string, string> {
  const isChild = job.media_urls.length > 1;
  const altText = altTextOf(job, index);
  return {
    image_url: url,
    ...(isChild ? { is_carousel_item: 'true' } : sharedParameters(job)),
    ...(altText === null ? {} : { alt_text: altText }),
    ...(index === 0 ? userTags(job) : {}),
  };
}

/** Returns the parameters of a Reel or a story. A story shows the video only. */
export function videoParameters(
  job: PublishJob,
  source: VideoSource,
  coverUrl: string | null,
): Record<string, string> {
  const video: Record<string, string> =
    source === 'upload' ? { upload_type: 'resumable' } : { video_url: source.url };
  if (isStory(job)) return { media_type: 'STORIES', ...video };
  const { instagram_share_to_feed: shared, instagram_thumb_offset: offset } = job.options;
  return {
    media_type: 'REELS',
    ...video,
    ...sharedParameters(job),
    ...(typeof shared === 'boolean' ? { share_to_feed: String(shared) } : {}),
    ...(coverUrl === null ? {} : { cover_url: coverUrl }),
    // A cover wins over the offset.
    ...(typeof offset === 'number' && coverUrl === null ? { thumb_offset: String(offset) } : {}),
  };
}

/** Returns the parameters of a carousel. The order of the children is the order shown. */
export function carouselParameters(job: PublishJob, children: readonly string[]): Record<string, string> {
  return { media_type: 'CAROUSEL', children: children.join(','), ...sharedParameters(job) };
}

/** What a post has as a whole: never on the children of a carousel. */
function sharedParameters({ text, options }: PublishJob): Record<string, string> {
  const { instagram_location_id: location, instagram_collaborators: invited } = options;
  const collaborators = usernames(invited);
  return {
    ...(text === '' ? {} : { caption: text }),
    ...(typeof location === 'string' ? { location_id: location } : {}),
    ...(collaborators.length > 0 ? { collaborators: JSON.stringify(collaborators) } : {}),
  };
}

/** Tags the users in an image side by side at half its height: Instagram wants a position for each. */
function userTags({ options }: PublishJob): Record<string, string> {
  const names = usernames(options['instagram_user_tags']);
  if (names.length === 0) return {};
  const tags = names.map((username, index) => ({
    username,
    x: Number(((index + 1) / (names.length + 1)).toFixed(3)),
    y: 0.5,
  }));
  return { user_tags: JSON.stringify(tags) };
}
