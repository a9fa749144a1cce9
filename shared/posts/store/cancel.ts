import { releaseReservations } from '../../caps/at-delivery.ts';
import { deletePostSchedules } from '../../delivery/schedule.ts';
import { releaseCopies } from '../../media/copies/copy-media.ts';
import { destinationsOf, type Post } from '../../model/post.ts';
import { describeError, log } from '../../runtime/log.ts';
import type { Services } from '../../runtime/services.ts';
import { deletePost } from '../../store/posts.ts';

/**
 * True while no destination is live or being published: each is pending, has failed, or waits for a retry. A destination
 * with a commit intent may be live.
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
 * Deletes a post that has not changed since it was read, with its cap reservations, its schedule and the copies of its
 * media. Returns false, without any change, where a publisher or an edit came first.
 */
export async function cancelPost(services: Services, post: Post): Promise<boolean> {
  if (!(await deletePost(services.table, post))) return false;
  await Promise.all([
    attempt('Could not release the cap reservations of a post', post, () =>
      releaseReservations(services, post, destinationsOf(post)),
    ),
    cancelSchedule(services, post),
    releaseCopies(services, post),
  ]);
  return true;
}

/** Deletes the schedules of this version of a post. */
export async function cancelSchedule(services: Services, post: Post): Promise<void> {
  await attempt('Could not delete the schedules of a post', post, () => deletePostSchedules(services, post));
}

/** A failure is only logged: a leftover schedule finds nothing to do, and a cap reservation expires. */
async function attempt(failure: string, post: Post, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn(failure, { post_id: post.post_id, ...describeError(error) });
  }
}
