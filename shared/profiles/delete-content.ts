import { statusOf, type Post } from '../model/post.ts';
import { canBeCancelled, cancelPost } from '../posts/store/cancel.ts';
import type { Services } from '../runtime/services.ts';
import { deleteAssetsOf } from '../store/assets.ts';
import { deleteMetricsReadings } from '../store/insights.ts';
import { deletePlaylistsOf } from '../store/playlists.ts';
import { getPost, unsettledPostsOf } from '../store/posts.ts';
import { deleteQueue } from '../store/queue.ts';
import type { ProfileRef } from '../store/profile-deletions.ts';

/**
 * Deletes the content of a deleted profile: metrics readings, queue, playlists and assets; posts that are still waiting
 * are cancelled. Continues where an earlier run stopped. Returns false if `isOutOfTime` stopped it before the end.
 */
export async function deleteProfileContent(
  services: Services,
  { workspace_id, profile_id }: ProfileRef,
  isOutOfTime: () => boolean,
): Promise<boolean> {
  for await (const posts of unsettledPostsOf(services.table, workspace_id, profile_id)) {
    for (const post of posts) {
      if (isOutOfTime()) return false;
      await cancelIfWaiting(services, post);
    }
  }
  await deleteMetricsReadings(services.table, workspace_id, profile_id);
  await deleteQueue(services.table, workspace_id, profile_id);
  await deletePlaylistsOf(services.table, workspace_id, profile_id);
  return deleteAssetsOf(services.table, workspace_id, profile_id, isOutOfTime);
}

/** Posts that are being published finish and stay readable. A post that was edited meanwhile is read again. */
async function cancelIfWaiting(services: Services, post: Post): Promise<void> {
  let current: Post | null = post;
  while (current && isWaiting(current) && !(await cancelPost(services, current))) {
    current = await getPost(services.table, post.workspace_id, post.post_id);
  }
}

const isWaiting = (post: Post) => canBeCancelled(post) && statusOf(post) !== 'failed';
