import type { Post } from '../model/post.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { setWake } from '../store/posts.ts';
import { createPostSchedule, scheduleName } from './post-schedule.ts';
import { sendDueMessages } from './dispatch.ts';
import { MAX_QUEUE_DELAY_MS, sendDispatchMessage } from './messages.ts';
import { DISPATCH_AHEAD_MS, SWEEP_AHEAD_MS } from './timing.ts';

/**
 * Sets the alarm clock of a stored post: notes at once when it is due soon, a delayed note within the reach of the
 * queue, else one schedule. The clock is a convenience, the post in the table is the truth: when it cannot be set, the
 * sweeper is told to look a little ahead of time. Never throws: the post is stored and will go out, and a caller who
 * heard otherwise would post again.
 */
export async function schedulePost(services: Services, post: Post): Promise<void> {
  try {
    await callInTime(services, post);
  } catch (error) {
    log.warn('The alarm of a post could not be set', { post_id: post.post_id, ...describeError(error) });
    await lookAhead(services, post);
  }
}

async function callInTime(services: Services, post: Post): Promise<void> {
  const ahead = post.due_at - DISPATCH_AHEAD_MS;
  const wait = ahead - services.now();
  if (wait <= 0) return sendDueMessages(services, post);
  if (wait <= MAX_QUEUE_DELAY_MS) return sendDispatchMessage(services, post, ahead);
  return createPostSchedule(services, post, scheduleName(post), ahead);
}

/** A sweep a minute finds the post in time to prepare it. Where even that fails, the look it was stored with stands. */
async function lookAhead(services: Services, post: Post): Promise<void> {
  try {
    await setWake(services.table, post, Math.max(services.now(), post.due_at - SWEEP_AHEAD_MS));
  } catch (error) {
    log.warn('The sweeper could not be told of a post', { post_id: post.post_id, ...describeError(error) });
  }
}
