import * as v from 'valibot';
import { toInstant } from '../../http/instant-field.ts';
import {
  PLATFORM_IDS,
  POST_TYPES,
  readPlatformId,
  type PlatformId,
  type PostType,
} from '../../model/platform.ts';
import { POST_STATUSES, statusOf, type Post, type PostStatus } from '../../model/post.ts';
import type { Table } from '../../store/table.ts';
import { listPosts } from '../../store/posts.ts';
import { findProfileByName } from '../../store/profiles.ts';
import { postRecord } from '../present/record.ts';

const instant = v.pipe(v.string(), toInstant);

const platform = v.pipe(
  v.string(),
  v.rawTransform<string, PlatformId>(({ dataset, addIssue, NEVER }) => {
    const id = readPlatformId(dataset.value);
    if (id !== null) return id;
    addIssue({ message: `Must be one of ${PLATFORM_IDS.join(', ')}` });
    return NEVER;
  }),
);

/** Query parameters of the list. A post must match all that are given. */
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
  /** The name stored with posts of a deleted profile. */
  profile_name?: string | undefined;
  profile_id?: string | undefined;
  /** Epoch milliseconds, both inclusive; immediate posts have no scheduled date. */
  scheduled_from?: number | undefined;
  scheduled_to?: number | undefined;
}

/** Resolves the profile name of a filter, so that posts match after the profile was renamed. */
export async function withProfile(
  table: Table,
  workspaceId: string,
  filter: PostFilter,
): Promise<PostFilter> {
  const { profile_name, ...others } = filter;
  const profile = profile_name && (await findProfileByName(table, workspaceId, profile_name.trim()));
  return profile ? { ...others, profile_id: profile.id } : filter;
}

/** True for a post that matches every given filter. */
export function matches(post: Post, filter: PostFilter): boolean {
  const scheduledAt = post.scheduling === 'immediate' ? null : post.due_at;
  const { scheduled_from: from, scheduled_to: to } = filter;
  return (
    equals(filter.status, statusOf(post)) &&
    equals(filter.post_type, post.post_type) &&
    equals(filter.profile_name, post.profile_name) &&
    equals(filter.profile_id, post.profile_id) &&
    (filter.platform === undefined || post.destinations[filter.platform] !== undefined) &&
    (from === undefined || (scheduledAt !== null && scheduledAt >= from)) &&
    (to === undefined || (scheduledAt !== null && scheduledAt <= to))
  );
}

const equals = <T>(expected: T | undefined, actual: T) => expected === undefined || expected === actual;

/** Posts read at a time with filters, and at most for one page. */
const CHUNK = 100;
const MAX_READ = 2000;
/** Lambda's limit is 6 MB for a response. */
const MAX_BYTES = 4_000_000;

/**
 * Returns a page of matching posts, newest first. `after` is the id after which the next page
 * continues; null at the end. A page has fewer than `limit` posts where `MAX_READ` posts did not contain enough, and
 * where more would exceed `MAX_BYTES`.
 */
export async function filteredPage(
  table: Table,
  workspaceId: string,
  filter: PostFilter,
  limit: number,
  before: string | null,
): Promise<{ posts: Post[]; after: string | null }> {
  const isFiltered = Object.values(filter).some(value => value !== undefined);
  // One post more than the page, so that the last page has no cursor.
  const chunk = isFiltered ? Math.max(CHUNK, limit + 1) : limit + 1;
  const found: Post[] = [];
  let last = before;
  for (let read = 0; read < MAX_READ; read += chunk) {
    const { posts, more } = await listPosts(table, workspaceId, chunk, last);
    found.push(...posts.filter(post => matches(post, filter)));
    const page = firstOf(found, limit);
    if (page.length < found.length) return { posts: page, after: page.at(-1)?.post_id ?? null };
    if (!more) return { posts: found, after: null };
    last = posts.at(-1)?.post_id ?? last;
  }
  return { posts: found, after: last };
}

/** Returns the first posts of a list: at least one, and no more than a response can contain. */
function firstOf(posts: readonly Post[], limit: number): Post[] {
  let bytes = 0;
  const end = posts.findIndex((post, index) => {
    bytes += bytesOf(post);
    return index >= limit || (index > 0 && bytes > MAX_BYTES);
  });
  return posts.slice(0, end < 0 ? posts.length : end);
}

/** Returns what a post takes of a function's result, which contains the JSON of the body as a string. */
const bytesOf = (post: Post) => Buffer.byteLength(JSON.stringify(JSON.stringify(postRecord(post))));
