import { DeleteScheduleCommand, ResourceNotFoundException } from '@aws-sdk/client-scheduler';
import { ENV } from '../aws/env.ts';
import { createAlarm } from '../aws/schedule.ts';
import { destinationsOf, type Post } from '../model/post.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { setWake } from '../store/posts.ts';
import { MINUTE, SECOND } from '../time/instant.ts';
import { sendDueNotes } from './dispatch.ts';
import { MAX_QUEUE_DELAY_MS, sendDispatchNote } from './notes.ts';
import { DISPATCH_AHEAD_MS } from './timing.ts';

/**
 * Sets the alarm clock of a stored post: notes at once when it is due soon, a delayed note within the reach of the
 * queue, else one schedule. The clock is a convenience, the post in the table is the truth: when it cannot be set, the
 * sweeper is told to look a little ahead of time. Never throws: the post is stored and will go out, and a caller who
 * heard otherwise would post again.
 */
export async function setAlarm(services: Services, post: Post): Promise<void> {
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
  if (wait <= 0) return sendDueNotes(services, post);
  if (wait <= MAX_QUEUE_DELAY_MS) return sendDispatchNote(services, post, ahead);
  return createSchedule(services, post, scheduleName(post), ahead);
}

/**
 * Sets an alarm for a wait within a delivery that no queue message can carry: a limit's reset, the daily cap. The
 * sweeper's index holds its time, too. Never throws.
 */
export async function setLongAlarm(services: Services, post: Post, at: number): Promise<void> {
  const ahead = at - DISPATCH_AHEAD_MS;
  try {
    await createSchedule(services, post, longName(post, at), ahead);
  } catch (error) {
    log.warn('A long wait has no alarm but the sweeper', { post_id: post.post_id, ...describeError(error) });
  }
}

/** A sweep a minute finds the post in time to prepare it. Where even that fails, the look it was stored with stands. */
async function lookAhead(services: Services, post: Post): Promise<void> {
  try {
    await setWake(services.table, post, Math.max(services.now(), post.due_at - DISPATCH_AHEAD_MS - MINUTE));
  } catch (error) {
    log.warn('The sweeper could not be told of a post', { post_id: post.post_id, ...describeError(error) });
  }
}

function createSchedule(services: Services, post: Post, name: string, at: number): Promise<void> {
  return createAlarm(services.scheduler, {
    name,
    at,
    group: services.setting(ENV.scheduleGroup),
    roleArn: services.setting(ENV.scheduleRoleArn),
    queueArn: services.setting(ENV.dispatchQueueArn),
    note: { workspace_id: post.workspace_id, post_id: post.post_id },
  });
}

/** Takes a post's schedules back; one that fired or never was is no fault. */
export async function deleteSchedules(services: Services, post: Post): Promise<void> {
  for (const name of namesOf(post)) await deleteSchedule(services, name);
}

/** Posts that go out at once never had one for their own time. */
function namesOf(post: Post): string[] {
  const waits = destinationsOf(post).flatMap(each =>
    each.status === 'retrying' ? [each.next_attempt_at] : [],
  );
  const own = post.scheduling === 'immediate' ? [] : [scheduleName(post)];
  return [...own, ...waits.map(at => longName(post, at))];
}

async function deleteSchedule(services: Services, name: string): Promise<void> {
  try {
    await services.scheduler.send(
      new DeleteScheduleCommand({ Name: name, GroupName: services.setting(ENV.scheduleGroup) }),
    );
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
}

const scheduleName = (post: Post) => `post-${post.post_id}-${post.version}`;
const longName = (post: Post, at: number) => `${scheduleName(post)}-${Math.floor(at / SECOND)}`;
