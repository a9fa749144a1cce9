import type { Destination } from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import type { Connection, Profile } from '../model/profile.ts';
import type { Principal } from '../model/workspace.ts';
import { firstSweepAt } from '../delivery/timing.ts';
import type { CheckedPost } from './check.ts';
import type { CommonPostInput } from './input.ts';

/** A new post with one pending destination for each account. One for the queue has no time of its own yet. */
export function newPost(
  id: string,
  input: CommonPostInput,
  checked: CheckedPost,
  profile: Profile,
  connections: readonly Connection[],
  principal: Principal,
  now: number,
): Post {
  const dueAt = checked.scheduled_at ?? now;
  return {
    post_id: id,
    workspace_id: profile.workspace_id,
    profile_id: profile.id,
    profile_name: profile.profile_name,
    post_type: input.post_type,
    title: checked.title,
    description: checked.description,
    media_urls: checked.media_urls,
    first_comment: checked.first_comment,
    auto_truncate: input.auto_truncate,
    options: checked.options,
    scheduling: checked.scheduling,
    due_at: dueAt,
    version: 1,
    created_by: principal.user_id,
    created_at: now,
    updated_at: now,
    destinations: Object.fromEntries(
      connections.map(connection => [connection.platform, pendingDestination(connection, now)]),
    ),
    wake_at: firstSweepAt(dueAt, now),
  };
}

function pendingDestination(connection: Connection, now: number): Destination {
  return {
    status: 'pending',
    platform: connection.platform,
    social_account_id: connection.id,
    revision: 1,
    attempts: 0,
    failures: 0,
    first_attempt_at: null,
    changed_at: now,
    outbox: [],
  };
}

/** A post at another time. */
export function movedTo(post: Post, dueAt: number, now: number): Post {
  return { ...post, due_at: dueAt, wake_at: firstSweepAt(dueAt, now) };
}
