import { statusOf, type Post } from '../model/post.ts';
import { canBeCancelled, cancelPost } from '../posts/cancel.ts';
import type { Services } from '../runtime/services.ts';
import { deleteAssetsOf } from '../store/assets.ts';
import { deleteMetricsReadings } from '../store/insights.ts';
import { deletePlaylistsOf } from '../store/playlists.ts';
import { getPost, unsettledPostsOf } from '../store/posts.ts';
import { deleteQueue } from '../store/queue.ts';
import type { ProfileRef } from '../store/profile-deletions.ts';

/**
 * Erases what a deleted profile held in the table, in any state that an earlier run left: posts that nothing has
 * happened to yet, the queue, measurements, playlists, assets. Stops when `enough` says so; true when nothing is left.
 */
export async function eraseContent(
  services: Services,
  { workspace_id, profile_id }: ProfileRef,
  enough: () => boolean,
): Promise<boolean> {
  for await (const posts of unsettledPostsOf(services.table, workspace_id, profile_id)) {
    for (const post of posts) {
      if (enough()) return false;
      await cancelIfWaiting(services, post);
    }
  }
  await deleteMetricsReadings(services.table, workspace_id, profile_id);
  await deleteQueue(services.table, workspace_id, profile_id);
  await deletePlaylistsOf(services.table, workspace_id, profile_id);
  return deleteAssetsOf(services.table, workspace_id, profile_id, enough);
}

/** A post that a publisher has taken runs to its end, and stays readable. One that was edited just now is read again. */
async function cancelIfWaiting(services: Services, post: Post): Promise<void> {
  let current: Post | null = post;
  while (current && isWaiting(current) && !(await cancelPost(services, current))) {
    current = await getPost(services.table, post.workspace_id, post.post_id);
  }
}

const isWaiting = (post: Post) => canBeCancelled(post) && statusOf(post) !== 'failed';
