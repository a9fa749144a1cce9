import { releaseReservations } from '../../caps/at-delivery.ts';
import { deletePostSchedules } from '../../delivery/schedule.ts';
import { nextSweepAt } from '../../delivery/sweep.ts';
import { cancelled } from '../../delivery/transitions.ts';
import { releaseCopies } from '../../media/copies/copy-media.ts';
import type { Destination } from '../../model/destination.ts';
import { destinationsOf, type Post } from '../../model/post.ts';
import { describeError, log } from '../../runtime/log.ts';
import type { Services } from '../../runtime/services.ts';
import { deletePost, replacePost } from '../../store/posts.ts';

/**
 * True while no destination is live or being published: each is pending, has failed, waits for a retry or is cancelled. A
 * destination with a commit intent may be live.
 */
export function isUnpublished(post: Post): boolean {
  return destinationsOf(post).every(
    destination =>
      isWaiting(destination) || destination.status === 'failed' || destination.status === 'cancelled',
  );
}

/** True for an unpublished post that is still to be published somewhere. */
export const isWaitingPost = (post: Post): boolean =>
  isUnpublished(post) && destinationsOf(post).some(isWaiting);

const isWaiting = (destination: Destination): boolean =>
  destination.status === 'pending' || (destination.status === 'retrying' && destination.intent === null);

/**
 * Deletes a post that has not changed since it was read, with its cap reservations, its schedule and the copies of its
 * media. Returns false, without any change, where a publisher or an edit came first.
 */
export async function deleteUnpublished(services: Services, post: Post): Promise<boolean> {
  if (!(await deletePost(services.table, post))) return false;
  await releaseAll(services, post);
  return true;
}

/** Like `deleteUnpublished`, but keeps the post to be read: its waiting destinations are cancelled. */
export async function cancelPost(services: Services, post: Post): Promise<boolean> {
  const now = services.now();
  const { slot_number, wake_at, ...kept } = post;
  const after: Post = { ...kept, destinations: cancelledWhereWaiting(post, now) };
  const sweepAt = nextSweepAt(after, now);
  const next = sweepAt === null ? after : { ...after, wake_at: sweepAt };
  if ((await replacePost(services.table, post, next)) !== 'written') return false;
  await releaseAll(services, post);
  return true;
}

const cancelledWhereWaiting = (post: Post, now: number): Post['destinations'] =>
  Object.fromEntries(
    destinationsOf(post).map(each => [each.platform, isWaiting(each) ? cancelled(each, now) : each]),
  );

/** Releases what an unpublished post has: cap reservations, schedules, copies of media. */
async function releaseAll(services: Services, post: Post): Promise<void> {
  await Promise.all([
    attempt('Could not release the cap reservations of a post', post, () =>
      releaseReservations(services, post, destinationsOf(post)),
    ),
    cancelSchedule(services, post),
    releaseCopies(services, post),
  ]);
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
