import { firstSweepAt } from '../../delivery/sweep.ts';
import type { Destination } from '../../model/destination.ts';
import type { Post } from '../../model/post.ts';
import type { Connection } from '../../model/profile.ts';
import type { Principal } from '../../model/workspace.ts';
import type { ValidPost } from '../validate/validate.ts';

/** Returns a new post with one pending destination per account. A queued post has no slot yet. `now`: epoch milliseconds. */
export function newPost(
  id: string,
  { candidate, content, profile, connections, media_bytes }: ValidPost,
  principal: Principal,
  now: number,
): Post {
  const post: Post = {
    post_id: id,
    workspace_id: profile.workspace_id,
    profile_id: profile.id,
    profile_name: profile.profile_name,
    post_type: content.post_type,
    title: content.title,
    description: content.description,
    media_urls: [...content.media_urls],
    ...(candidate.media_alt_texts.length > 0 ? { media_alt_texts: candidate.media_alt_texts } : {}),
    media_bytes,
    first_comment: content.first_comment,
    auto_truncate: content.auto_truncate,
    options: content.options,
    scheduling: candidate.scheduling,
    due_at: candidate.scheduled_at ?? now,
    version: 1,
    created_by: principal.user_id,
    created_at: now,
    updated_at: now,
    destinations: Object.fromEntries(
      connections.map(connection => [connection.platform, pendingDestination(connection, now)]),
    ),
  };
  return { ...post, wake_at: firstSweepAt(post, now) };
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

/** Returns the post with this due time, and the sweep that follows from it. */
export function movedTo(post: Post, dueAt: number, now: number): Post {
  const moved = { ...post, due_at: dueAt };
  return { ...moved, wake_at: firstSweepAt(moved, now) };
}
