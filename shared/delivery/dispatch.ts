import { isSettled } from '../model/destination.ts';
import { destinationsOf, type Post } from '../model/post.ts';
import type { Services } from '../runtime/services.ts';
import { describeError, log } from '../runtime/log.ts';
import { getPost, setWake } from '../store/posts.ts';
import { createPostSchedule, waitScheduleName } from './post-schedule.ts';
import { MAX_QUEUE_DELAY_MS, sendPublishMessage, type DispatchMessage } from './messages.ts';
import { DISPATCH_AHEAD_MS, SWEEP_AHEAD_MS, nextSweepAt, overdue, readyAt } from './timing.ts';

/**
 * Looks at a post: every destination that is not settled and whose time is near gets a note, with the exact remaining
 * delay. Called by the schedule of a waiting post, and by the sweeper for whatever should have moved and did not. Gives
 * how many destinations did not: a look alone says nothing, most find work that takes its time.
 */
export async function dispatch(services: Services, message: DispatchMessage): Promise<number> {
  const post = await getPost(services.table, message.workspace_id, message.post_id);
  if (!post) return 0;
  const late = overdue(post, services.now()).length;
  await sendDueMessages(services, post);
  return late;
}

export async function sendDueMessages(services: Services, post: Post): Promise<void> {
  const now = services.now();
  const looks = [nextSweepAt(post, now)];
  for (const destination of destinationsOf(post).filter(each => !isSettled(each))) {
    const at = readyAt(post, destination);
    if (at - now <= MAX_QUEUE_DELAY_MS) await sendPublishMessage(services, post, destination.platform, at);
    else if (destination.status !== 'pending') looks.push(await callLater(services, post, at));
  }
  // A look that is still ahead stands; one that has come is answered by the notes above, and the next one set.
  if (post.wake_at !== undefined && post.wake_at > now) return;
  await setWake(services.table, post, soonest(looks));
}

/**
 * A wait within a delivery that no queue message can carry (a limit's reset, the daily cap) gets an alarm of its own.
 * Throws when the note that led here must come back.
 */
export async function scheduleWait(services: Services, post: Post, at: number): Promise<void> {
  const looks = [nextSweepAt(post, services.now()), await callLater(services, post, at)];
  await setWake(services.table, post, soonest(looks));
}

/** Sets the alarm of a long wait; gives when the sweeper must look where that fails, else null. */
async function callLater(services: Services, post: Post, at: number): Promise<number | null> {
  try {
    await createPostSchedule(services, post, waitScheduleName(post, at), at - DISPATCH_AHEAD_MS);
    return null;
  } catch (error) {
    log.warn('A long wait has no alarm but the sweeper', { post_id: post.post_id, ...describeError(error) });
    return at - SWEEP_AHEAD_MS;
  }
}

function soonest(looks: readonly (number | null)[]): number | null {
  const times = looks.filter(look => look !== null);
  return times.length === 0 ? null : Math.min(...times);
}
