import type { Context, Hono } from 'hono';
import { guarded } from './access.ts';
import { invalidRequest, notFound } from './responses.ts';
import type { Grant, XPost, XState } from './state.ts';

const USER_FIELDS = [
  'id',
  'name',
  'username',
  'profile_image_url',
  'verified',
  'verified_type',
  'subscription_type',
  'protected',
  'created_at',
  'description',
  'public_metrics',
];
const POST_FIELDS = [
  'id',
  'text',
  'created_at',
  'entities',
  'attachments',
  'author_id',
  'public_metrics',
  'non_public_metrics',
  'reply_settings',
  'conversation_id',
];

/** The account, its timeline and single posts. */
export function addReads(app: Hono, state: XState): void {
  const root = '/api.x.com/2';
  app.get(`${root}/users/me`, guarded(state, 'me', me));
  app.get(
    `${root}/users/:id/tweets`,
    guarded(state, 'timeline', (c, grant) => timeline(c, state, grant)),
  );
  app.get(
    `${root}/tweets`,
    guarded(state, 'lookup', (c, grant) => lookup(c, state, grant)),
  );
}

function requestedFields(c: Context, names: readonly string[], known: readonly string[]): Set<string> {
  const fields = names.flatMap(name => c.req.query(name)?.split(',') ?? []);
  const unknown = fields.find(field => !known.includes(field));
  if (unknown !== undefined) invalidRequest(`The query parameter value [${unknown}] is not a known field`);
  return new Set(fields);
}

function allowOnly(c: Context, names: readonly string[]): void {
  const unknown = Object.keys(c.req.query()).find(name => !names.includes(name));
  if (unknown !== undefined)
    invalidRequest(`The query parameter [${unknown}] is not one of [${names.join(',')}]`);
}

function me(c: Context, { account }: Grant): Response {
  allowOnly(c, ['user.fields']);
  const fields = requestedFields(c, ['user.fields'], USER_FIELDS);
  const all = {
    profile_image_url: `https://pbs.twimg.com/profile_images/${account.id}/avatar_normal.jpg`,
    verified: account.premium,
    verified_type: account.premium ? 'blue' : 'none',
    subscription_type: account.premium ? 'Premium' : 'None',
    protected: false,
    description: '',
    created_at: '2020-01-01T00:00:00.000Z',
  };
  const requested = Object.entries(all).filter(([name]) => fields.has(name));
  const { id, name, username } = account;
  return c.json({ data: { id, name, username, ...Object.fromEntries(requested) } });
}

function timeline(c: Context, state: XState, { account }: Grant): Response {
  allowOnly(c, [
    'max_results',
    'exclude',
    'tweet.fields',
    'post.fields',
    'start_time',
    'end_time',
    'since_id',
  ]);
  const id = c.req.param('id') ?? '';
  const owner = state.accounts.get(id);
  if (!owner) return notFound('user', id);
  const fields = requestedFields(c, ['tweet.fields', 'post.fields'], POST_FIELDS);
  const max = Number(c.req.query('max_results') ?? 10);
  if (!Number.isInteger(max) || max < 5 || max > 100)
    return invalidRequest('max_results must be from 5 to 100');
  const exclude = c.req.query('exclude')?.split(',') ?? [];
  if (exclude.some(kind => kind !== 'replies' && kind !== 'retweets')) return invalidRequest('bad exclude');
  const from = time(c, 'start_time') ?? 0;
  const to = time(c, 'end_time') ?? Infinity;
  const latest = state.host.now() - (owner.timeline_delay_ms ?? 0);
  const posts = state.posts
    .values()
    .filter(
      post =>
        post.account_id === id &&
        post.created_at >= from &&
        post.created_at < to &&
        post.created_at <= latest,
    )
    .sort((one, other) => other.created_at - one.created_at)
    .slice(0, max);
  const own = id === account.id;
  return c.json({
    ...(posts.length > 0 ? { data: posts.map(post => view(state, post, fields, own)) } : {}),
    meta: { result_count: posts.length },
  });
}

function time(c: Context, name: string): number | null {
  const text = c.req.query(name);
  if (text === undefined) return null;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text))
    return invalidRequest(`${name} must be RFC 3339`);
  return Date.parse(text);
}

function lookup(c: Context, state: XState, { account }: Grant): Response {
  allowOnly(c, ['ids', 'tweet.fields', 'post.fields']);
  const fields = requestedFields(c, ['tweet.fields', 'post.fields'], POST_FIELDS);
  const ids = c.req.query('ids')?.split(',') ?? [];
  if (ids.length === 0 || ids.length > 100 || ids.some(id => !/^\d{1,19}$/.test(id))) {
    return invalidRequest('ids must be 1 to 100 numbers');
  }
  const found = ids.flatMap(id => state.posts.get(id) ?? []);
  const errors = ids
    .filter(id => !found.some(post => post.id === id))
    .map(id => ({
      title: 'Not Found Error',
      detail: `Could not find tweet with ids: [${id}].`,
      type: 'https://api.x.com/2/problems/resource-not-found',
      resource_type: 'tweet',
      resource_id: id,
    }));
  return c.json({
    ...(found.length > 0
      ? { data: found.map(post => view(state, post, fields, post.account_id === account.id)) }
      : {}),
    ...(errors.length > 0 ? { errors } : {}),
  });
}

/** A post with the requested fields; non-public metrics for its author only. */
function view(state: XState, post: XPost, fields: ReadonlySet<string>, own: boolean) {
  const numbers = state.host.metrics('x', post.id);
  const number = (name: string) => Number(numbers?.[name] ?? 0);
  const all = {
    created_at: new Date(post.created_at).toISOString(),
    author_id: post.account_id,
    conversation_id: post.id,
    reply_settings: post.reply_settings ?? 'everyone',
    ...(post.shown.urls.length > 0 ? { entities: { urls: post.shown.urls } } : {}),
    ...(post.media_keys.length > 0 ? { attachments: { media_keys: post.media_keys } } : {}),
    public_metrics: {
      impression_count: number('views'),
      like_count: number('likes'),
      reply_count: number('comments'),
      retweet_count: number('shares'),
      repost_count: number('shares'),
      quote_count: 0,
      bookmark_count: 0,
    },
    ...(own
      ? {
          non_public_metrics: {
            impression_count: number('views'),
            user_profile_clicks: 0,
            url_link_clicks: 0,
          },
        }
      : {}),
  };
  const requested = Object.entries(all).filter(([name]) => fields.has(name));
  const history = [post.id];
  return {
    id: post.id,
    text: post.shown.text,
    edit_history_tweet_ids: history,
    edit_history_post_ids: history,
    ...Object.fromEntries(requested),
  };
}
