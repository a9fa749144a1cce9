import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import { read, send, unexpected, type Caller } from './call.ts';
import { encodeUrn, findPostUrn } from './urn.ts';

/* Calls for posts and comments. All throw PlatformError. */

/** Short: creating a post is not idempotent, and a lost response is reconciled afterwards. */
const CREATE_TIMEOUT_MS = 20_000;

export interface NewPost {
  author: string;
  /** LinkedIn's markup. */
  commentary: string;
  visibility: string;
  content: JsonObject | null;
  isReshareDisabledByAuthor: boolean;
}

/** Creates a post and returns its URN, which is in a header only. */
export async function createPost(caller: Caller, { content, ...post }: NewPost): Promise<string> {
  const what = 'Publishing';
  const { status, headers } = await send(caller, {
    what,
    purpose: 'create',
    method: 'POST',
    path: '/rest/posts',
    json: {
      ...post,
      distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
      ...(content && { content }),
      lifecycleState: 'PUBLISHED',
    },
    timeoutMs: CREATE_TIMEOUT_MS,
  });
  const urn = findPostUrn(headers['x-restli-id'] ?? headers['x-linkedin-id'] ?? '');
  if (urn === null) throw unexpected(what, status);
  return urn;
}

const Time = v.fallback(v.nullish(v.number(), null), null);
const Id = v.object({ id: v.string() });

const PostsSchema = v.object({
  elements: v.array(
    v.object({
      id: v.string(),
      commentary: v.optional(v.string(), ''),
      createdAt: Time,
      publishedAt: Time,
      lastModifiedAt: Time,
      content: v.optional(
        v.object({
          media: v.optional(Id),
          multiImage: v.optional(v.object({ images: v.array(Id) })),
          article: v.optional(v.object({ source: v.optional(v.string()) })),
        }),
        {},
      ),
    }),
  ),
});
export type LivePost = v.InferOutput<typeof PostsSchema>['elements'][number];

/** Returns one page of an author's posts, the last modified first. */
export async function listPosts(
  caller: Caller,
  author: string,
  { start, count }: { start: number; count: number },
): Promise<LivePost[]> {
  const query = `author=${encodeUrn(author)}&q=author&count=${count}&start=${start}&sortBy=LAST_MODIFIED`;
  const call = { what: 'Reading the posts', purpose: 'read', method: 'GET' } as const;
  return (await read(caller, { ...call, path: `/rest/posts?${query}` }, PostsSchema)).elements;
}

/** Comments on a post. A comment is plain text, not LinkedIn's markup. */
export async function createComment(
  caller: Caller,
  { actor, post, text }: { actor: string; post: string; text: string },
): Promise<void> {
  await send(caller, {
    what: 'Commenting',
    purpose: 'comment',
    method: 'POST',
    path: `/rest/socialActions/${encodeUrn(post)}/comments`,
    json: { actor, object: post, message: { text } },
    timeoutMs: CREATE_TIMEOUT_MS,
  });
}
