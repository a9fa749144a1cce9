import type { Destination } from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { settleAll } from '../runtime/settle-all.ts';
import { getPost, setWake } from '../store/posts.ts';
import {
  MAX_QUEUE_DELAY_MS,
  sendDispatchMessage,
  sendPublishMessage,
  type DispatchMessage,
} from './messages.ts';
import { failDisabled } from './disabled-platforms.ts';
import type { Report } from './run.ts';
import { createPostSchedule, createResumeSchedule, dispatchesLater, firstDispatchAt } from './schedule.ts';
import { askForWarmUp } from './warm-up.ts';
import { nextSweepAt, overdue, readyAt, unsettled } from './sweep.ts';
import { SWEEP_INTERVAL_MS } from './timing.ts';

/**
 * Has a stored post dispatched in time: at once when it is due soon, by a delayed message within the reach of the
 * queue, else by a schedule. When that fails, the sweeper dispatches the post. Never throws: the post is stored and
 * will be published, and an error would make the caller post again.
 */
export async function schedulePost(services: Services, post: Post): Promise<void> {
  try {
    const at = firstDispatchAt(post);
    const wait = at - services.now();
    if (wait <= 0) await sendDueMessages(services, post);
    else if (wait <= MAX_QUEUE_DELAY_MS) await sendDispatchMessage(services, post, at);
    else await createPostSchedule(services, post);
  } catch (error) {
    log.warn('Could not schedule the post; the sweeper will dispatch the post', {
      post_id: post.post_id,
      ...describeError(error),
    });
    await sweepBeforeDue(services, post);
  }
}

/** Has the sweeper dispatch the post ahead of its time. When that fails too, the sweep that it was stored with stands. */
async function sweepBeforeDue(services: Services, post: Post): Promise<void> {
  try {
    const at = Math.max(services.now(), firstDispatchAt(post) - SWEEP_INTERVAL_MS);
    await setWake(services.table, post, at);
  } catch (error) {
    log.warn('Could not set an earlier sweep', { post_id: post.post_id, ...describeError(error) });
  }
}

/**
 * Handles one dispatch message, of a schedule or of the sweeper: sends publish messages for the post's destinations.
 * Returns how many of them were overdue.
 */
export async function dispatch(
  services: Services,
  message: DispatchMessage,
  report?: Report,
): Promise<number> {
  const stored = await getPost(services.table, message.workspace_id, message.post_id);
  if (!stored) return 0;
  const post = await failDisabled(services, stored, report);
  const count = overdue(post, services.now()).length;
  await sendDueMessages(services, post);
  return count;
}

/**
 * Sends a publish message with the exact remaining delay for each unsettled destination whose time is near, and creates
 * a schedule for each other one that has none.
 */
async function sendDueMessages(services: Services, post: Post): Promise<void> {
  const now = services.now();
  const sweeps = await settleAll(unsettled(post).map(each => sendOrSchedule(services, post, each, now)));
  // A sweep that is still ahead stands. One that has come led here, and the next one follows from the state of the post.
  if (post.wake_at !== undefined && post.wake_at > now) return;
  await setWake(services.table, post, earliest([nextSweepAt(post, now), ...sweeps]));
}

/** Returns when the sweeper must dispatch the post because a schedule could not be created (epoch ms), or null. */
async function sendOrSchedule(
  services: Services,
  post: Post,
  destination: Destination,
  now: number,
): Promise<number | null> {
  const at = readyAt(post, destination);
  if (at - now <= MAX_QUEUE_DELAY_MS) {
    await sendAhead(services, post, destination, at);
    return null;
  }
  const isScheduled = destination.status === 'pending' && !dispatchesLater(post, destination);
  return isScheduled ? null : createResumeSchedule(services, post, destination);
}

/**
 * Has a publisher act on a destination again at `readyAt`: by a message, or by a schedule where the wait is too long for
 * one. Throws when the message that led here must return to the queue.
 */
export async function resume(
  services: Services,
  post: Post,
  destination: Destination,
  hops: number,
): Promise<void> {
  const at = readyAt(post, destination);
  if (at - services.now() <= MAX_QUEUE_DELAY_MS) {
    return sendAhead(services, post, destination, at, hops);
  }
  const sweeps = [nextSweepAt(post, services.now()), await createResumeSchedule(services, post, destination)];
  await setWake(services.table, post, earliest(sweeps));
}

/** Sends a publish message that arrives at `at`, after one at which the publisher gets ready where it commits then. */
async function sendAhead(
  services: Services,
  post: Post,
  destination: Destination,
  at: number,
  hops = 0,
): Promise<void> {
  if (at === post.due_at) await askForWarmUp(services, post, destination);
  await sendPublishMessage(services, post, destination, at, hops);
}

function earliest(times: readonly (number | null)[]): number | null {
  const set = times.filter(time => time !== null);
  return set.length === 0 ? null : Math.min(...set);
}
