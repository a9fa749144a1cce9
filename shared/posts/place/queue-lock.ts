import type { Post } from '../../model/post.ts';
import { describeError, log } from '../../runtime/log.ts';
import type { Services } from '../../runtime/services.ts';
import { acquireQueueLock, releaseQueueLock } from '../../store/queue.ts';

/** A request has 29 s; a post that does not get the lock by then goes on without it. */
const WAIT_MS = 16_000;
const MAX_PAUSE_MS = 400;

/** Waits for the lock of a profile's queue. The lock only reduces contention, so a post may go on without it. */
export async function awaitQueueLock({ table, now }: Services, post: Post): Promise<void> {
  const deadline = now() + WAIT_MS;
  for (let attempt = 1; now() < deadline && !(await acquireQueueLock(table, post, now())); attempt += 1)
    await backOff(attempt);
}

/** Releases the lock. A failure is only logged: the post may be stored by now, and the lock expires. */
export async function leaveQueueLock({ table }: Services, post: Post): Promise<void> {
  try {
    await releaseQueueLock(table, post);
  } catch (error) {
    log.warn('Could not release a queue lock', { post_id: post.post_id, ...describeError(error) });
  }
}

/** Waits a random time that grows with the attempts. */
export function backOff(attempt: number): Promise<void> {
  const longest = Math.min(MAX_PAUSE_MS, 25 * 2 ** attempt);
  return new Promise(resolve => setTimeout(resolve, Math.random() * longest));
}
