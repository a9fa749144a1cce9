import * as v from 'valibot';
import { fetchResponse, Id, parseResponse, send, type Call, type Caller } from './call.ts';
import { readErrorResponse } from './errors.ts';

/* Calls of API v2 for accounts and posts. All throw PlatformError. */

/** Short: creating a post is not idempotent, and a lost response is reconciled afterwards. */
const CREATE_TIMEOUT_MS = 20_000;

const UserSchema = v.object({
  data: v.object({
    id: Id,
    name: v.string(),
    username: v.string(),
    // Optional for us: an unusable value must not fail the connect.
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

/** Creates the post and returns its id. `text` is always sent, even when it is empty. */
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

/** Returns the account's own posts since a time (epoch milliseconds), newest first, at most 100. */
export async function recentPosts(caller: Caller, userId: string, since: number): Promise<LivePost[]> {
  const query = {
    max_results: '100',
    exclude: 'retweets,replies',
    start_time: new Date(since).toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  const read = { what: 'Reading the timeline', path: `/users/${userId}/tweets`, query };
  return (await readPosts(caller, { ...read, fields: TIMELINE_FIELDS }, TimelineSchema)).data;
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

/** Returns the metrics of at most 100 posts. Deleted posts are missing. */
export async function postCounts(caller: Caller, ids: readonly string[]) {
  const read = { what: 'Reading metrics', path: '/tweets', query: { ids: ids.join(',') } };
  return (await readPosts(caller, { ...read, fields: 'public_metrics' }, CountsSchema)).data;
}

/** Reads posts. X is renaming `tweet.fields` to `post.fields`: the documented name is tried first. */
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
  const first = await fetchResponse(caller, call('tweet.fields'));
  const { message, parameters } = readErrorResponse(first, 'read');
  const names = parameters.includes('tweet.fields') || message.includes('tweet.fields');
  const renamed = first.status === 400 && names;
  return renamed
    ? send(caller, call('post.fields'), schema)
    : parseResponse(first, call('tweet.fields'), schema, caller.now());
}
