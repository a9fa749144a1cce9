import * as v from 'valibot';
import { parseJson, type Json } from '../../model/json.ts';
import { HttpFailure, type HttpClient, type HttpRequest, type HttpResponse } from '../../net/http.ts';
import { multipart } from '../../net/multipart.ts';
import { fromHttpFailure, PlatformError } from '../error.ts';
import { readRefusal, refusalError, type Purpose } from './errors.ts';

/*
 * The wire calls of API v2. Each throws PlatformError for whatever is no success. Identifiers stay strings: they have
 * more digits than a number keeps.
 */

const API = 'https://api.x.com/2';
const TIMEOUT_MS = 15_000;
/** The create is the one call that may post twice: it is given up soon and asked about afterwards. */
const CREATE_TIMEOUT_MS = 20_000;
const APPEND_TIMEOUT_MS = 15_000;

/** Who calls, and when. */
export interface Caller {
  http: HttpClient;
  /** User access token. */
  token: string;
  now: () => number;
}

interface Call extends Pick<HttpRequest, 'method' | 'headers' | 'body'> {
  what: string;
  purpose: Purpose;
  path: string;
  json?: Json;
  timeoutMs?: number;
}

async function answerOf(caller: Caller, call: Call): Promise<HttpResponse> {
  const body = call.json === undefined ? call.body : JSON.stringify(call.json);
  try {
    return await caller.http.send({
      method: call.method,
      url: `${API}${call.path}`,
      headers: {
        authorization: `Bearer ${caller.token}`,
        accept: 'application/json',
        ...(call.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(body === undefined ? {} : { body }),
      timeoutMs: call.timeoutMs ?? TIMEOUT_MS,
    });
  } catch (error) {
    throw error instanceof HttpFailure ? fromHttpFailure(error, call.what) : error;
  }
}

/** The answer's JSON as the schema has it. A success without it (a proxy's page) is no success. */
function resultOf<T>(
  response: HttpResponse,
  { what, purpose }: Call,
  schema: v.GenericSchema<unknown, T>,
  now: number,
): T {
  if (response.status < 200 || response.status > 299) throw refusalError(response, purpose, what, now);
  const text = response.body.toString('utf8');
  const parsed = v.safeParse(schema, text === '' ? {} : parseJson(text));
  if (parsed.success) return parsed.output;
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: `${what}: X answered ${response.status} without a usable body`,
    outcomeUnknown: true,
  });
}

async function send<T>(caller: Caller, call: Call, schema: v.GenericSchema<unknown, T>): Promise<T> {
  return resultOf(await answerOf(caller, call), call, schema, caller.now());
}

/** A yes without more to it; the page of a proxy is none. */
const Acknowledged = v.looseObject({});

const Id = v.pipe(v.string(), v.regex(/^\d{1,19}$/));

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

export type MediaCategory = 'tweet_image' | 'tweet_gif' | 'tweet_video';

/** Opens an upload session and gives its media id. */
export async function initializeUpload(
  caller: Caller,
  media: { media_type: string; total_bytes: number; media_category: MediaCategory },
): Promise<string> {
  const { data } = await send(
    caller,
    {
      what: 'Starting the media upload',
      purpose: 'media',
      method: 'POST',
      path: '/media/upload/initialize',
      json: { ...media, shared: false },
    },
    v.object({ data: v.object({ id: Id }) }),
  );
  return data.id;
}

/** Sends one part; sending the same one again is harmless. */
export async function appendUpload(
  caller: Caller,
  id: string,
  segment: number,
  bytes: Uint8Array,
): Promise<void> {
  const media = { name: 'media', type: 'application/octet-stream', bytes };
  const form = multipart({ segment_index: String(segment) }, { media });
  await send(
    caller,
    {
      what: 'Uploading media',
      purpose: 'media',
      method: 'POST',
      path: `/media/upload/${id}/append`,
      headers: { 'content-type': form.contentType },
      body: form.body,
      timeoutMs: APPEND_TIMEOUT_MS,
    },
    Acknowledged,
  );
}

const MediaStatusSchema = v.object({
  data: v.object({
    id: Id,
    processing_info: v.optional(
      v.object({
        state: v.string(),
        check_after_secs: v.optional(v.number()),
        error: v.optional(v.object({ name: v.optional(v.string()), message: v.optional(v.string()) })),
      }),
    ),
  }),
  errors: v.optional(
    v.array(v.object({ title: v.optional(v.string()), detail: v.optional(v.string()) })),
    [],
  ),
});

export type Processing =
  { state: 'ready' } | { state: 'working'; checkAfterMs: number } | { state: 'failed'; reason: string };

function processingOf({ data, errors }: v.InferOutput<typeof MediaStatusSchema>): Processing {
  const info = data.processing_info;
  if (info === undefined || info.state === 'succeeded') return { state: 'ready' };
  if (info.state !== 'failed') return { state: 'working', checkAfterMs: (info.check_after_secs ?? 1) * 1000 };
  const words = info.error ?? { name: errors[0]?.title, message: errors[0]?.detail };
  return {
    state: 'failed',
    reason: [words.name, words.message].filter(Boolean).join(': ') || 'no reason given',
  };
}

/** Closes an upload. The body `{}` is demanded since July 2026, though the description knows none. */
export async function finalizeUpload(caller: Caller, id: string): Promise<Processing> {
  const call = { what: 'Finishing the media upload', purpose: 'media', method: 'POST', json: {} } as const;
  return processingOf(
    await send(caller, { ...call, path: `/media/upload/${id}/finalize` }, MediaStatusSchema),
  );
}

export async function uploadStatus(caller: Caller, id: string): Promise<Processing> {
  const call = { what: 'Reading the media status', purpose: 'media', method: 'GET' } as const;
  return processingOf(
    await send(caller, { ...call, path: `/media/upload?media_id=${id}&command=STATUS` }, MediaStatusSchema),
  );
}

export async function setAltText(caller: Caller, id: string, text: string): Promise<void> {
  const json = { id, metadata: { alt_text: { text } } };
  const call = { what: 'Setting the alt text', purpose: 'media', method: 'POST' } as const;
  await send(caller, { ...call, path: '/media/metadata', json }, Acknowledged);
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
