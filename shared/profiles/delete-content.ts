import type { Post } from '../model/post.ts';
import { cancelPost, isWaitingPost } from '../posts/store/cancel.ts';
import type { Services } from '../runtime/services.ts';
import { settleAll } from '../runtime/settle-all.ts';
import { deleteAssetsOf } from '../store/assets.ts';
import { deleteFingerprints } from '../store/fingerprints.ts';
import { deleteMetricsReadings } from '../store/insights.ts';
import { deletePlaylistsOf } from '../store/playlists.ts';
import { getPost, unsettledPostsOf } from '../store/posts.ts';
import { deleteQueue } from '../store/queue.ts';
import type { ProfileRef } from '../store/profile-deletions.ts';

/** Posts cancelled at a time. */
const CONCURRENCY = 8;

/**
 * Deletes the content of a deleted profile: metrics readings, fingerprints, queue, playlists and assets; posts that are
 * still waiting are cancelled, and `onCancelled` is called for each. Continues where an earlier run stopped. Returns false if `isOutOfTime` stopped it before the end.
 */
export async function deleteProfileContent(
  services: Services,
  { workspace_id, profile_id }: ProfileRef,
  isOutOfTime: () => boolean,
  onCancelled: () => void = () => undefined,
): Promise<boolean> {
  for await (const posts of unsettledPostsOf(services.table, workspace_id, profile_id)) {
    for (let start = 0; start < posts.length; start += CONCURRENCY) {
      if (isOutOfTime()) return false;
      const some = posts.slice(start, start + CONCURRENCY);
      const results = await settleAll(some.map(post => cancelIfWaiting(services, post)));
      for (const isCancelled of results) if (isCancelled) onCancelled();
    }
  }
  await deleteMetricsReadings(services.table, workspace_id, profile_id);
  await deleteFingerprints(services.table, profile_id);
  await deleteQueue(services.table, workspace_id, profile_id);
  await deletePlaylistsOf(services.table, workspace_id, profile_id);
  return deleteAssetsOf(services.table, workspace_id, profile_id, isOutOfTime);
}

/** Posts that are being published finish. Returns whether the post was cancelled. A post that was edited meanwhile is read again. */
async function cancelIfWaiting(services: Services, post: Post): Promise<boolean> {
  let current: Post | null = post;
  while (current && isWaitingPost(current)) {
    if (await cancelPost(services, current)) return true;
    current = await getPost(services.table, post.workspace_id, post.post_id);
  }
  return false;
}
