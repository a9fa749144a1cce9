import * as v from 'valibot';
import { answerOf, Id, resultOf, send, type Call, type Caller } from './call.ts';
import { readRefusal } from './errors.ts';

/* The calls of API v2 about accounts and posts. Each throws PlatformError for whatever is no success. */

/** The create is the one call that may post twice: it is given up soon and asked about afterwards. */
const CREATE_TIMEOUT_MS = 20_000;

const UserSchema = v.object({
  data: v.object({
    id: Id,
    name: v.string(),
    username: v.string(),
    // An ornament: a picture that is none keeps nobody from connecting.
    profile_image_url: v.fallback(v.nullish(v.string(), null), null),
    subscription_type: v.nullish(v.string(), null),
  }),
});
export type User = v.InferOutput<typeof UserSchema>['data'];

export async function getMe(caller: Caller): Promise<User> {
  const fields = 'id,name,username,profile_image_url,verified,verified_type,subscription_type,protected';
  const call = { what: 'Reading the account', purpose: 'read', method: 'GET' } as const;
  return (await send(caller, { ...call, path: `/users/me?user.fields=${fields}` }, UserSchema)).data;
}

export interface NewPost {
  text: string;
  mediaIds: readonly string[];
  replySettings: string | null;
}

/** Makes the post and gives its id. The text is always sent, also when it is empty. */
export async function createPost(caller: Caller, post: NewPost): Promise<string> {
  const { data } = await send(
    caller,
    {
      what: 'Publishing',
      purpose: 'create',
      method: 'POST',
      path: '/tweets',
      json: {
        text: post.text,
        ...(post.mediaIds.length > 0 ? { media: { media_ids: [...post.mediaIds] } } : {}),
        ...(post.replySettings === null ? {} : { reply_settings: post.replySettings }),
      },
      timeoutMs: CREATE_TIMEOUT_MS,
    },
    v.object({ data: v.object({ id: Id }) }),
  );
  return data.id;
}

const TimelineSchema = v.object({
  data: v.optional(
    v.array(
      v.object({
        id: Id,
        text: v.string(),
        created_at: v.string(),
        entities: v.optional(
          v.object({
            urls: v.nullish(v.array(v.object({ url: v.string(), expanded_url: v.optional(v.string()) }))),
          }),
        ),
        attachments: v.optional(v.object({ media_keys: v.nullish(v.array(v.string())) })),
      }),
    ),
    [],
  ),
});
export type LivePost = v.InferOutput<typeof TimelineSchema>['data'][number];

const TIMELINE_FIELDS = 'created_at,entities,attachments';

/** The account's own posts since a time (epoch milliseconds), newest first, at most 100. */
export async function recentPosts(caller: Caller, userId: string, since: number): Promise<LivePost[]> {
  const query = {
    max_results: '100',
    exclude: 'retweets,replies',
    start_time: new Date(since).toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  const asked = { what: 'Reading the timeline', path: `/users/${userId}/tweets`, query };
  return (await readPosts(caller, { ...asked, fields: TIMELINE_FIELDS }, TimelineSchema)).data;
}

const count = v.pipe(v.number(), v.integer());
const CountsSchema = v.object({
  data: v.optional(
    v.array(
      v.object({
        id: Id,
        public_metrics: v.object({
          like_count: count,
          reply_count: count,
          quote_count: v.optional(count, 0),
          retweet_count: v.optional(count),
          repost_count: v.optional(count),
          impression_count: v.optional(count),
        }),
      }),
    ),
    [],
  ),
});

/** How posts were received, at most 100 of them. Those that were deleted are missing. */
export async function postCounts(caller: Caller, ids: readonly string[]) {
  const asked = { what: 'Reading metrics', path: '/tweets', query: { ids: ids.join(',') } };
  return (await readPosts(caller, { ...asked, fields: 'public_metrics' }, CountsSchema)).data;
}

/** Reads posts. X is renaming a parameter: the old name first, which all guides use, then the new one. */
async function readPosts<T>(
  caller: Caller,
  {
    what,
    path,
    query,
    fields,
  }: { what: string; path: string; query: Record<string, string>; fields: string },
  schema: v.GenericSchema<unknown, T>,
): Promise<T> {
  const call = (fieldsName: string): Call => ({
    what,
    purpose: 'read',
    method: 'GET',
    path: `${path}?${new URLSearchParams({ ...query, [fieldsName]: fields }).toString()}`,
  });
  const first = await answerOf(caller, call('tweet.fields'));
  const renamed = first.status === 400 && readRefusal(first, 'read').words.includes('tweet.fields');
  return renamed
    ? send(caller, call('post.fields'), schema)
    : resultOf(first, call('tweet.fields'), schema, caller.now());
}
