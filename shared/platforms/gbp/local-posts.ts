import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import { parseInstant, SECOND } from '../../time/instant.ts';
import { NextPageToken, POSTS_API, readPages, send, withPageToken, type Caller } from './call.ts';

/* Posts of a location. */

/** Google may fetch the picture before it answers. */
const CREATE_TIMEOUT_MS = 90 * SECOND;
const PAGE_SIZE = '100';

const text = v.optional(v.fallback(v.string(), ''), '');

/** Google leaves out what is empty. */
const LocalPostSchema = v.object({
  name: v.pipe(v.string(), v.regex(/^accounts\/\d+\/locations\/\d+\/localPosts\/.+/)),
  /** `PROCESSING`, `LIVE` or `REJECTED`. */
  state: text,
  summary: text,
  topicType: text,
  event: v.optional(v.object({ title: text }), {}),
  searchUrl: text,
  /** Epoch milliseconds; null where Google does not say. */
  createTime: v.pipe(
    text,
    v.transform(time => parseInstant(time)),
  ),
});
export type LocalPost = v.InferOutput<typeof LocalPostSchema>;

/** Creates a post. Google has no idempotency key. */
export function createLocalPost(caller: Caller, parent: string, post: JsonObject): Promise<LocalPost> {
  const purpose = post['media'] === undefined ? 'post' : 'photo_post';
  const call = { what: 'Publishing', purpose, method: 'POST', json: post } as const;
  const url = `${POSTS_API}/${parent}/localPosts`;
  return send(caller, { ...call, url, timeoutMs: CREATE_TIMEOUT_MS }, LocalPostSchema);
}

export function getLocalPost(caller: Caller, name: string): Promise<LocalPost> {
  const call = { what: 'Reading the post', purpose: 'read', method: 'GET' } as const;
  return send(caller, { ...call, url: `${POSTS_API}/${name}` }, LocalPostSchema);
}

/** Returns the posts of a location since a time, and maybe older ones. Their order is not documented. */
export function listLocalPosts(caller: Caller, parent: string, since: number): Promise<LocalPost[]> {
  const schema = v.object({
    localPosts: v.optional(v.array(LocalPostSchema), []),
    nextPageToken: NextPageToken,
  });
  return readPages(
    async pageToken => {
      const query = withPageToken({ pageSize: PAGE_SIZE }, pageToken);
      const call = { what: 'Reading the posts', purpose: 'read', method: 'GET' } as const;
      const page = await send(caller, { ...call, url: `${POSTS_API}/${parent}/localPosts`, query }, schema);
      return { items: page.localPosts, next: page.nextPageToken };
    },
    posts => isNewestFirst(posts) && createdAt(posts.at(-1)) < since,
  );
}

const createdAt = (post: LocalPost | undefined): number => post?.createTime ?? Infinity;

function isNewestFirst(posts: readonly LocalPost[]): boolean {
  return (
    posts.length > 1 &&
    posts.every((post, index) => index === 0 || createdAt(posts[index - 1]) >= createdAt(post))
  );
}
