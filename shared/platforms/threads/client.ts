import * as v from 'valibot';
import type { HttpClient } from '../../net/http.ts';
import { SECOND } from '../../time/instant.ts';
import { graphClient, type GraphApi, type GraphClient } from '../families/meta/graph.ts';
import { CreatedSchema, GraphId } from '../families/meta/json.ts';
import { THREADS_ERRORS } from './errors.ts';

/* Calls of the Threads API. All throw PlatformError. Writes go to `me`: the stored id is refused at times. */

export const HOST = 'https://graph.threads.net';

const THREADS: GraphApi = { platform: 'Threads', root: `${HOST}/v1.0`, errors: THREADS_ERRORS };

/** Threads fetches an image before it answers. */
const CREATE_TIMEOUT_MS = 60 * SECOND;
const PUBLISH_TIMEOUT_MS = 25 * SECOND;

export interface Caller {
  http: HttpClient;
  now: () => number;
  token: string;
}

export function threadsClient({ http, now, token }: Caller): GraphClient {
  return graphClient({ http, now, token, api: THREADS, appSecret: null });
}

const UserSchema = v.object({
  id: GraphId,
  username: v.pipe(v.string(), v.nonEmpty()),
  // Optional for us: an unusable value must not fail the connect.
  name: v.fallback(v.nullish(v.string(), null), null),
  threads_profile_picture_url: v.fallback(v.nullish(v.string(), null), null),
});
export type User = v.InferOutput<typeof UserSchema>;

export function getMe(client: GraphClient): Promise<User> {
  const fields = 'id,username,name,threads_profile_picture_url';
  const call = { what: 'Reading the account', purpose: 'read', method: 'GET' } as const;
  return client.call({ ...call, path: '/me', query: { fields } }, UserSchema);
}

/** Creates a container and returns its id. `form`: its parameters; JSON bodies lose some of them. */
export async function createContainer(
  client: GraphClient,
  form: Readonly<Record<string, string>>,
): Promise<string> {
  const call = { what: 'Preparing the post', purpose: 'prepare', method: 'POST' } as const;
  const request = { ...call, path: '/me/threads', form, timeoutMs: CREATE_TIMEOUT_MS };
  return (await client.call(request, CreatedSchema)).id;
}

const StatusSchema = v.object({ status: v.string(), error_message: v.optional(v.string(), '') });
export type ContainerStatus = v.InferOutput<typeof StatusSchema>;

export function containerStatus(client: GraphClient, id: string): Promise<ContainerStatus> {
  const call = { what: 'Reading the status of the post', purpose: 'read', method: 'GET' } as const;
  return client.call({ ...call, path: `/${id}`, query: { fields: 'id,status,error_message' } }, StatusSchema);
}

/** Publishes a container and returns the id of the post. */
export async function publishContainer(client: GraphClient, id: string): Promise<string> {
  const call = { what: 'Publishing', purpose: 'commit', method: 'POST' } as const;
  const form = { creation_id: id };
  const request = { ...call, path: '/me/threads_publish', form, timeoutMs: PUBLISH_TIMEOUT_MS };
  return (await client.call(request, CreatedSchema)).id;
}

/** Returns the address of a post; null where Threads names none. */
export async function permalinkOf(client: GraphClient, id: string): Promise<string | null> {
  const call = { what: 'Reading the permalink', purpose: 'read', method: 'GET' } as const;
  const { permalink } = await client.call(
    { ...call, path: `/${id}`, query: { fields: 'id,permalink' } },
    v.object({ permalink: v.nullish(v.string(), null) }),
  );
  return permalink;
}

const PostsSchema = v.object({
  data: v.array(
    v.object({
      id: GraphId,
      text: v.optional(v.string(), ''),
      timestamp: v.string(),
      permalink: v.nullish(v.string(), null),
      media_type: v.optional(v.string(), ''),
      children: v.optional(v.object({ data: v.array(v.object({ id: GraphId })) })),
    }),
  ),
});
export type LivePost = v.InferOutput<typeof PostsSchema>['data'][number];

/** More posts than any account may publish in the time that a lost post is looked for. */
const PAGE = 100;

/** Returns the account's own posts since a time (epoch milliseconds), newest first, at most 100. */
export async function recentPosts(client: GraphClient, since: number): Promise<LivePost[]> {
  const query = {
    fields: 'id,text,timestamp,permalink,media_type,children',
    since: String(Math.floor(since / SECOND)),
    limit: String(PAGE),
  };
  const call = { what: 'Reading the posts of the account', purpose: 'read', method: 'GET' } as const;
  return (await client.call({ ...call, path: '/me/threads', query }, PostsSchema)).data;
}

const LimitSchema = v.object({
  data: v.array(
    v.object({
      quota_usage: v.number(),
      config: v.object({ quota_total: v.number() }),
    }),
  ),
});

/** Returns how many posts the account published in the last 24 hours, and how many it may; null where Threads does not say. */
export async function publishingLimit(client: GraphClient): Promise<{ used: number; total: number } | null> {
  const call = { what: 'Reading the publishing limit', purpose: 'read', method: 'GET' } as const;
  // Further fields need further permissions: without them the whole call is refused.
  const query = { fields: 'quota_usage,config' };
  const { data } = await client.call({ ...call, path: '/me/threads_publishing_limit', query }, LimitSchema);
  const [limit] = data;
  return limit ? { used: limit.quota_usage, total: limit.config.quota_total } : null;
}

const InsightsSchema = v.object({
  data: v.array(
    v.object({
      name: v.string(),
      values: v.optional(v.array(v.object({ value: v.number() })), []),
    }),
  ),
});

/** Returns the metrics of a post by name. `clicks` is none: asking for it fails the whole call. */
export async function postMetrics(client: GraphClient, id: string): Promise<ReadonlyMap<string, number>> {
  const call = { what: 'Reading metrics', purpose: 'read', method: 'GET' } as const;
  const query = { metric: 'views,likes,replies,reposts,quotes,shares' };
  const { data } = await client.call({ ...call, path: `/${id}/insights`, query }, InsightsSchema);
  return new Map(data.map(({ name, values }) => [name, values[0]?.value ?? 0]));
}
