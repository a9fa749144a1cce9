import { hashUrl } from '../../model/copy.ts';
import { isFinal } from '../../model/destination.ts';
import { destinationsOf, type Post } from '../../model/post.ts';
import type { Services } from '../../runtime/services.ts';
import { postsThatMayUse, putMediaUse } from '../../store/media-uses.ts';
import { getPost } from '../../store/posts.ts';
import { DAY } from '../../time/instant.ts';
import { isStoredMedia } from '../copies/copy-media.ts';
import { mediaUrlsOf } from '../copies/post-media.ts';

/** A destination fails within a day of its first attempt; the rest is margin. */
const KEPT_AFTER_DUE_MS = 8 * DAY;

/** Records which uploads a post uses. Called before the post is stored, or published again. */
export async function recordUploadUses(services: Services, post: Post): Promise<void> {
  const { workspace_id, post_id, due_at } = post;
  const until = Math.max(due_at, services.now()) + KEPT_AFTER_DUE_MS;
  const stored = (await mediaUrlsOf(post)).filter(url => isStoredMedia(services, url));
  await Promise.all(
    stored.map(url => putMediaUse(services.table, { workspace_id, url_hash: hashUrl(url), post_id }, until)),
  );
}

/** Returns the ids of the posts that are still to be published with the file of this URL. */
export async function postsUsing(services: Services, workspace_id: string, url: string): Promise<string[]> {
  const ids = await postsThatMayUse(services.table, { workspace_id, url_hash: hashUrl(url) });
  const posts = await Promise.all(ids.map(id => getPost(services.table, workspace_id, id)));
  const unfinished = posts.filter(post => post !== null).filter(isUnfinished);
  const urls = await Promise.all(unfinished.map(mediaUrlsOf));
  return unfinished.filter((_, index) => urls[index]?.includes(url)).map(({ post_id }) => post_id);
}

const isUnfinished = (post: Post) => !destinationsOf(post).every(isFinal);
