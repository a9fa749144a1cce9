import { releaseReservations } from '../caps/at-delivery.ts';
import { deletePostSchedules } from '../delivery/post-schedule.ts';
import { destinationsOf, type Post } from '../model/post.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { deletePost } from '../store/posts.ts';

/**
 * True while nothing of a post is live or on its way to a platform: it waits for its time, waits for another try, or
 * has failed. A commit whose answer is still out may be live.
 */
export function canBeCancelled(post: Post): boolean {
  return destinationsOf(post).every(
    destination =>
      destination.status === 'pending' ||
      destination.status === 'failed' ||
      (destination.status === 'retrying' && destination.intent === null),
  );
}

/**
 * Deletes a post as it was read, and gives back what it held: its places under the daily caps, its schedule. False
 * when a publisher or an edit was faster: nothing is changed then.
 */
export async function cancelPost(services: Services, post: Post): Promise<boolean> {
  if (!(await deletePost(services.table, post))) return false;
  await tidyUp(post, () => releaseReservations(services, post, destinationsOf(post)));
  await dropSchedule(services, post);
  return true;
}

/** Takes back the schedules of a post, or of an earlier version of one. */
export async function dropSchedule(services: Services, post: Post): Promise<void> {
  await tidyUp(post, () => deletePostSchedules(services, post));
}

/** What is left behind does no harm: a schedule finds nothing to do, a place ends by itself. */
async function tidyUp(post: Post, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn('Something of a post was left behind', { post_id: post.post_id, ...describeError(error) });
  }
}
