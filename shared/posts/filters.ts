import * as v from 'valibot';
import { POST_TYPES, readPlatformId, type PlatformId, type PostType } from '../model/platform.ts';
import { POST_STATUSES, statusOf, type Post, type PostStatus } from '../model/post.ts';
import type { Table } from '../store/table.ts';
import { listPosts } from '../store/posts.ts';
import { findProfileByName } from '../store/profiles.ts';
import { parseInstant } from '../time/instant.ts';

const instant = v.pipe(
  v.string(),
  v.rawTransform<string, number>(({ dataset, addIssue, NEVER }) => {
    const at = parseInstant(dataset.value);
    if (at !== null) return at;
    addIssue({ message: 'Must be an ISO 8601 date-time such as 2026-12-01T10:00:00Z' });
    return NEVER;
  }),
);

const platform = v.pipe(
  v.string(),
  v.rawTransform<string, PlatformId>(({ dataset, addIssue, NEVER }) => {
    const id = readPlatformId(dataset.value);
    if (id !== null) return id;
    addIssue({ message: 'Is no platform of this service' });
    return NEVER;
  }),
);

/** Query parameters of the list; all that are given must hold. */
export const filterQuery = {
  status: v.optional(v.picklist(POST_STATUSES, `Must be one of ${POST_STATUSES.join(', ')}`)),
  platform: v.optional(platform),
  post_type: v.optional(v.picklist(POST_TYPES, `Must be one of ${POST_TYPES.join(', ')}`)),
  profile_name: v.optional(v.string()),
  scheduled_from: v.optional(instant),
  scheduled_to: v.optional(instant),
};

export interface PostFilter {
  status?: PostStatus | undefined;
  platform?: PlatformId | undefined;
  post_type?: PostType | undefined;
  /** The name that posts of a deleted profile still carry. */
  profile_name?: string | undefined;
  profile_id?: string | undefined;
  /** Epoch milliseconds, both inclusive; immediate posts have no scheduled date. */
  scheduled_from?: number | undefined;
  scheduled_to?: number | undefined;
}

/** The filter with its profile found as posts name it: whatever that is called now, its posts are meant. */
export async function withProfile(
  table: Table,
  workspaceId: string,
  filter: PostFilter,
): Promise<PostFilter> {
  const { profile_name, ...others } = filter;
  const profile = profile_name && (await findProfileByName(table, workspaceId, profile_name.trim()));
  return profile ? { ...others, profile_id: profile.id } : filter;
}

/** True for a post that satisfies every filter that is given. */
export function passes(post: Post, filter: PostFilter): boolean {
  const scheduledAt = post.scheduling === 'immediate' ? null : post.due_at;
  const { scheduled_from: from, scheduled_to: to } = filter;
  return (
    is(filter.status, statusOf(post)) &&
    is(filter.post_type, post.post_type) &&
    is(filter.profile_name, post.profile_name) &&
    is(filter.profile_id, post.profile_id) &&
    (filter.platform === undefined || post.destinations[filter.platform] !== undefined) &&
    (from === undefined || (scheduledAt !== null && scheduledAt >= from)) &&
    (to === undefined || (scheduledAt !== null && scheduledAt <= to))
  );
}

const is = <T>(wanted: T | undefined, actual: T) => wanted === undefined || wanted === actual;

/** Posts that are read at a time where a filter may drop many, and at most for one page. */
const CHUNK = 100;
const MOST_READ = 2000;

/**
 * A page of posts that pass, newest first. `after` is the id to go on from, null at the end: that of the last post
 * looked at, so that nothing is skipped. A page is filled unless that took too long; it may then be short, or empty.
 */
export async function filteredPage(
  table: Table,
  workspaceId: string,
  filter: PostFilter,
  limit: number,
  before: string | null,
): Promise<{ posts: Post[]; after: string | null }> {
  const filters = Object.values(filter).some(value => value !== undefined);
  const chunk = filters ? Math.max(CHUNK, limit) : limit;
  const found: Post[] = [];
  let last = before;
  for (let read = 0; read < MOST_READ; read += chunk) {
    const { posts, more } = await listPosts(table, workspaceId, chunk, last);
    for (const [index, post] of posts.entries()) {
      last = post.post_id;
      if (passes(post, filter)) found.push(post);
      if (found.length < limit) continue;
      return { posts: found, after: more || index < posts.length - 1 ? last : null };
    }
    if (!more) return { posts: found, after: null };
  }
  return { posts: found, after: last };
}
