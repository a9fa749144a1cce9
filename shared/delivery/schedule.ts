import { ENV } from '../aws/env.ts';
import { createSchedule, deleteSchedule } from '../aws/schedule.ts';
import type { Destination } from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { SECOND } from '../time/instant.ts';
import { dispatchMessage } from './messages.ts';
import { readyAt, unsettled } from './sweep.ts';
import { LEAD_MS, leadMs, SWEEP_INTERVAL_MS } from './timing.ts';

/** Returns when the dispatcher must run so that a destination is acted on in time. Epoch milliseconds. */
function dispatchAt(post: Post, destination: Destination): number {
  if (destination.status === 'pending') return post.due_at - leadMs(post, destination.platform);
  return readyAt(post, destination) - LEAD_MS;
}

/** Returns when a new post is dispatched first: ahead of the platform with the longest lead. Epoch milliseconds. */
export function firstDispatchAt(post: Post): number {
  const leads = unsettled(post).map(({ platform }) => leadMs(post, platform));
  return post.due_at - Math.max(LEAD_MS, ...leads);
}

/** Creates the schedule that dispatches a new post. Throws when EventBridge Scheduler refuses it. */
export function createPostSchedule(services: Services, post: Post): Promise<void> {
  return createDispatchSchedule(services, post, scheduleName(post), firstDispatchAt(post));
}

/**
 * Creates the schedule that ends a wait too long for a queue message: a limit's reset, the daily cap, a post that is
 * prepared long before it is due. Returns null, or when the sweeper must dispatch the post because the schedule could
 * not be created (epoch ms).
 */
export async function createResumeSchedule(
  services: Services,
  post: Post,
  destination: Destination,
): Promise<number | null> {
  const at = dispatchAt(post, destination);
  try {
    await createDispatchSchedule(services, post, resumeScheduleName(post, readyAt(post, destination)), at);
    return null;
  } catch (error) {
    log.warn('Could not create a schedule; the sweeper will dispatch the post', {
      post_id: post.post_id,
      ...describeError(error),
    });
    return at - SWEEP_INTERVAL_MS;
  }
}

function createDispatchSchedule(services: Services, post: Post, name: string, at: number): Promise<void> {
  return createSchedule(services.scheduler, {
    name,
    at,
    scheduleGroup: services.setting(ENV.scheduleGroup),
    roleArn: services.setting(ENV.scheduleRoleArn),
    message: dispatchMessage(services, post),
  });
}

/** Deletes the schedules of a post. Those that fired or never existed are skipped. */
export async function deletePostSchedules(services: Services, post: Post): Promise<void> {
  const scheduleGroup = services.setting(ENV.scheduleGroup);
  for (const name of scheduleNames(post)) await deleteSchedule(services.scheduler, { name, scheduleGroup });
}

/** Immediate posts have no schedule for their own time. */
function scheduleNames(post: Post): string[] {
  const own = post.scheduling === 'immediate' ? [] : [scheduleName(post)];
  const resumed = unsettled(post).filter(
    destination => destination.status === 'retrying' || dispatchesLater(post, destination),
  );
  return [...own, ...resumed.map(destination => resumeScheduleName(post, readyAt(post, destination)))];
}

/** True for a pending destination that is dispatched after another one with a longer lead. */
export function dispatchesLater(post: Post, destination: Destination): boolean {
  return destination.status === 'pending' && dispatchAt(post, destination) > firstDispatchAt(post);
}

const scheduleName = (post: Post) => `post-${post.post_id}-${post.version}`;

const resumeScheduleName = (post: Post, at: number) => `${scheduleName(post)}-${Math.floor(at / SECOND)}`;
