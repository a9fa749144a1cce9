import type { Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import * as v from 'valibot';
import { JsonObjectSchema } from '../../../model/json.ts';
import { SECOND } from '../../../time/instant.ts';
import type { StoredMedia } from '../../contract/sandbox.ts';
import {
  authorize,
  countEdit,
  isOfLocation,
  pageOf,
  POSTS_HOST,
  requireLocation,
  type Guard,
} from './access.ts';
import { badRequest, notFound } from './errors.ts';
import { readLocalPost } from './local-post.ts';
import { protoJson } from './proto-json.ts';
import { fetchPhoto } from './sources.ts';
import { findUser, newId, switchesOf, type GbpState, type StoredPost } from './state.ts';

const PATH = `/${POSTS_HOST}/v4/accounts/:a{[0-9]+}/locations/:l{[0-9]+}/localPosts`;
const PHONE = /(?:\+|\(|\b)\d(?:[\s().-]{0,2}\d){6,}/;

/** Local posts of a location. */
export function addPosts(app: Hono, guard: Guard): void {
  const { state } = guard;
  app.post(PATH, c => create(c, guard));
  app.get(PATH, async c => {
    const user = authorize(c, guard, POSTS_HOST);
    requireLocation(c, guard, user);
    const { oldest_first } = switchesOf(state, user);
    const all = state.posts.values().filter(({ name }) => isOfLocation(c, name, 'localPosts'));
    const { items, nextPageToken } = pageOf(c, oldest_first ? all : all.toReversed(), {
      default: 20,
      max: 100,
    });
    const localPosts = [];
    for (const each of items) localPosts.push(view(state, await settled(state, each)));
    return protoJson({ localPosts, nextPageToken });
  });
  app.get(`${PATH}/:id`, async c => protoJson(view(state, await settled(state, requirePost(c, guard)))));
  app.patch(`${PATH}/:id`, c => update(c, guard));
  app.delete(`${PATH}/:id`, c => {
    const { name } = requirePost(c, guard);
    state.posts.delete(name);
    state.host.unpublish('gbp', name);
    return protoJson({});
  });
}

const parentOf = (c: Context) => `accounts/${c.req.param('a') ?? ''}/locations/${c.req.param('l') ?? ''}`;

function requirePost(c: Context, guard: Guard): StoredPost {
  requireLocation(c, guard, authorize(c, guard, POSTS_HOST));
  const isMeant = ({ name }: StoredPost) =>
    isOfLocation(c, name, 'localPosts') && name.endsWith(`/${c.req.param('id') ?? ''}`);
  return guard.state.posts.values().find(isMeant) ?? notFound();
}

const bodyOf = (c: Context): Promise<unknown> =>
  /^application\/json\b/.test(c.req.header('content-type') ?? '')
    ? c.req.json().catch(() => null)
    : Promise.resolve(null);

async function create(c: Context, guard: Guard): Promise<Response> {
  const { state } = guard;
  const user = authorize(c, guard, POSTS_HOST);
  const location = requireLocation(c, guard, user);
  countEdit(state, location);
  const body = await bodyOf(c);
  const { media } = readLocalPost(body);
  const source_url = media[0]?.sourceUrl ?? null;
  const isLater = switchesOf(state, user).fetch_after_s !== null;
  const file = source_url === null || isLater ? null : await fetchPhoto(state, source_url);
  const now = state.host.now();
  const post: StoredPost = {
    name: `${parentOf(c)}/localPosts/${newId()}`,
    user_id: user.id,
    body: v.parse(JsonObjectSchema, body),
    source_url,
    is_fetched: file === null ? null : true,
    created_at: now,
    updated_at: now,
  };
  state.posts.set(post.name, post);
  show(state, post, file === null ? [] : [file]);
  return protoJson(view(state, post));
}

async function update(c: Context, guard: Guard): Promise<Response> {
  const { state } = guard;
  const post = requirePost(c, guard);
  const mask = (c.req.query('updateMask') ?? '').split(',').filter(Boolean);
  if (mask.length === 0) badRequest('update_mask', 'update_mask is required');
  const changes = v.parse(JsonObjectSchema, await bodyOf(c));
  const changed = Object.fromEntries(mask.map(field => [field, changes[field] ?? null]));
  const body = Object.fromEntries(
    Object.entries({ ...post.body, ...changed }).filter(([, value]) => value !== null),
  );
  readLocalPost(body);
  const updated = { ...post, body, updated_at: state.host.now() };
  state.posts.set(post.name, updated);
  return protoJson(view(state, updated));
}

/** Fetches the file of a post whose time has come. */
async function settled(state: GbpState, post: StoredPost): Promise<StoredPost> {
  const { source_url, is_fetched, user_id, created_at } = post;
  const delay = findUser(user_id) && switchesOf(state, findUser(user_id)!).fetch_after_s;
  const isDue = state.host.now() >= created_at + (delay ?? 0) * SECOND;
  if (source_url === null || is_fetched !== null || !isDue) return post;
  const file = await fetchPhoto(state, source_url).catch((error: unknown) => {
    if (error instanceof HTTPException) return null;
    throw error;
  });
  const after = { ...post, is_fetched: file !== null };
  state.posts.set(post.name, after);
  if (file) {
    state.host.unpublish('gbp', post.name);
    show(state, after, [file]);
  }
  return after;
}

type State = 'PROCESSING' | 'LIVE' | 'REJECTED';

/** Posts with a phone number are rejected after they were accepted. `POST /_control/processing` sets time and outcome. */
function stateOf(state: GbpState, { created_at, is_fetched, source_url, body, user_id }: StoredPost): State {
  const { seconds, outcome } = state.host.processing('gbp');
  if (state.host.now() - created_at < seconds * SECOND) return 'PROCESSING';
  if (source_url !== null && is_fetched === null) return 'PROCESSING';
  const user = findUser(user_id);
  const rejectsNumbers = user !== undefined && switchesOf(state, user).reject_phone_numbers;
  const { summary } = body;
  const hasNumber = rejectsNumbers && typeof summary === 'string' && PHONE.test(summary);
  return outcome === 'error' || is_fetched === false || hasNumber ? 'REJECTED' : 'LIVE';
}

const searchUrl = ({ name }: StoredPost) =>
  `https://local.google.com/place?id=15501986993814392536&use=posts&lpsid=${name.split('/').at(-1) ?? ''}`;

function view(state: GbpState, post: StoredPost) {
  const { name, user_id, body, source_url, created_at, updated_at } = post;
  const status = stateOf(state, post);
  if (status === 'REJECTED') state.host.unpublish('gbp', name);
  const user = findUser(user_id);
  const omitsUrl = status === 'PROCESSING' && user !== undefined && switchesOf(state, user).omit_search_url;
  const createTime = new Date(created_at).toISOString();
  const photo = {
    name: name.replace('/localPosts/', '/media/localPosts/AF1Qip'),
    mediaFormat: 'PHOTO',
    googleUrl: 'https://lh3.googleusercontent.com/p/AF1Qip',
    createTime,
  };
  return {
    ...body,
    name,
    state: status,
    createTime,
    updateTime: new Date(updated_at).toISOString(),
    ...(omitsUrl ? {} : { searchUrl: searchUrl(post) }),
    media: source_url === null ? [] : [photo],
  };
}

function show({ host }: GbpState, post: StoredPost, files: readonly StoredMedia[]): void {
  const { name, user_id, body, source_url, created_at } = post;
  const { summary, event } = body;
  const title = v.safeParse(v.object({ title: v.string() }), event);
  host.publish({
    platform: 'gbp',
    account: user_id,
    platform_post_id: name,
    platform_post_url: searchUrl(post),
    kind: source_url === null ? 'text' : 'image',
    text: typeof summary === 'string' ? summary : '',
    title: title.success ? title.output.title : null,
    media: [...files],
    comments: [],
    fields: body,
    published_at: new Date(created_at).toISOString(),
  });
}
