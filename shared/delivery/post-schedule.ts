import { DeleteScheduleCommand, ResourceNotFoundException } from '@aws-sdk/client-scheduler';
import { ENV } from '../aws/env.ts';
import { createSchedule } from '../aws/schedule.ts';
import { destinationsOf, type Post } from '../model/post.ts';
import type { Services } from '../runtime/services.ts';
import { SECOND } from '../time/instant.ts';
import { dispatchMessage } from './messages.ts';

/** Has the dispatcher look at a post at `at` (epoch ms). Throws when Scheduler refuses. */
export function createPostSchedule(services: Services, post: Post, name: string, at: number): Promise<void> {
  return createSchedule(services.scheduler, {
    name,
    at,
    scheduleGroup: services.setting(ENV.scheduleGroup),
    roleArn: services.setting(ENV.scheduleRoleArn),
    message: dispatchMessage(services, post),
  });
}

/** Takes a post's schedules back; one that fired or never was is no fault. */
export async function deletePostSchedules(services: Services, post: Post): Promise<void> {
  for (const name of namesOf(post)) await deleteSchedule(services, name);
}

/** Posts that go out at once never had one for their own time. */
function namesOf(post: Post): string[] {
  const waits = destinationsOf(post).flatMap(each =>
    each.status === 'retrying' ? [each.next_attempt_at] : [],
  );
  const own = post.scheduling === 'immediate' ? [] : [scheduleName(post)];
  return [...own, ...waits.map(at => waitScheduleName(post, at))];
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

export const scheduleName = (post: Post) => `post-${post.post_id}-${post.version}`;

/** Of a wait within a delivery that ends at `at`. */
export const waitScheduleName = (post: Post, at: number) =>
  `${scheduleName(post)}-${Math.floor(at / SECOND)}`;
