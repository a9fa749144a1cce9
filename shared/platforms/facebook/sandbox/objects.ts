import type { Context, Hono } from 'hono';
import { guarded, type Caller } from '../../families/meta/sandbox/access.ts';
import { graphError, invalidParameter, unknownObject } from '../../families/meta/sandbox/responses.ts';
import { findPost, isHidden, permalink } from './posts.ts';
import { metaTime, type FacebookPost, type FacebookState, type FacebookVideo } from './state.ts';
import { statusOf } from './video-status.ts';

const GRAPH = '/graph.facebook.com';
const METRICS = [
  'post_media_view',
  'post_total_media_view_unique',
  'post_clicks',
  'post_reactions_by_type_total',
];

/** Single posts, photos and videos: reading, deleting, insights. */
export function addObjects(api: Hono, state: FacebookState): void {
  api.get(
    `${GRAPH}/:id/insights`,
    guarded(state, { scopes: ['read_insights'] }, (c, caller) => insights(c, state, caller)),
  );
  api.get(
    `${GRAPH}/:id`,
    guarded(state, { scopes: ['pages_read_engagement'] }, (c, caller) => read(c, state, caller)),
  );
  api.delete(
    `${GRAPH}/:id`,
    guarded(state, { scopes: ['pages_manage_posts'] }, (c, caller) => remove(c, state, caller)),
  );
}

function read(c: Context, state: FacebookState, caller: Caller): Response {
  const id = c.req.param('id') ?? '';
  const video = state.videos.get(id);
  const post = state.posts.get(id);
  const found = video ?? post;
  if (found?.page_id !== caller.page_id || isHidden(state, found.created_at))
    return unknownObject(id, c.req.method);
  const fields = (c.req.query('fields') ?? 'id').replaceAll(/\.[a-z]+\([^)]*\)/g, '').split(',');
  const all = video ? videoView(state, video) : post ? postView(state, post) : {};
  const unknown = fields.find(field => !(field in all));
  if (unknown !== undefined) return invalidParameter(`Tried accessing nonexisting field (${unknown})`);
  const wanted = Object.entries(all).filter(([name, value]) => fields.includes(name) && value !== undefined);
  return c.json({ ...Object.fromEntries(wanted), id });
}

/** Mode `bare_post_id`: the post of a video comes without the id of the Page. */
function videoView(state: FacebookState, video: FacebookVideo): Record<string, unknown> {
  const bare = video.post_id?.split('_')[1];
  return {
    id: video.id,
    status: statusOf(state, video),
    permalink_url: video.post_id === null ? undefined : `/${video.page_id}/videos/${video.id}/`,
    post_id:
      video.post_id === null ? undefined : state.modes.get('bare_post_id') === true ? bare : video.post_id,
    published: video.post_id !== null,
    description: video.description,
    title: video.title ?? undefined,
    created_time: metaTime(video.created_at),
  };
}

function postView({ host }: FacebookState, post: FacebookPost): Record<string, unknown> {
  const metrics = host.metrics('facebook', post.media_ids[0] ?? post.id) ?? host.metrics('facebook', post.id);
  const number = (name: string) => Number(metrics?.[name] ?? 0);
  const summary = (total_count: number) => ({ data: [], summary: { total_count, can_comment: true } });
  return {
    id: post.id,
    message: post.message,
    created_time: metaTime(post.created_at),
    permalink_url: permalink(post),
    shares: number('shares') === 0 ? undefined : { count: number('shares') },
    comments: summary(number('comments') + post.comments.length),
    reactions: summary(number('likes')),
  };
}

/** One unknown metric fails the whole call. Mode `few_viewers`: too few people saw the post. */
function insights(c: Context, state: FacebookState, caller: Caller): Response {
  const id = c.req.param('id') ?? '';
  const post = findPost(state, id);
  if (post?.page_id !== caller.page_id) return unknownObject(id, c.req.method);
  const metrics = c.req.query('metric')?.split(',') ?? [];
  if (metrics.length === 0)
    return graphError({
      code: 3001,
      subcode: 1504028,
      message: '(#3001) Invalid query',
      user_message: 'No metric was specified.',
    });
  const { since, until } = c.req.query();
  if (Number(until) - Number(since) > 90 * 86_400)
    return invalidParameter('There cannot be more than 90 days between since and until');
  if (metrics.some(name => !METRICS.includes(name)))
    return invalidParameter('The value must be a valid insights metric');
  if (state.modes.get('few_viewers') === true)
    return graphError({ code: 10, message: '(#10) Not enough viewers for the media to show insights' });
  const numbers =
    state.host.metrics('facebook', post.media_ids[0] ?? post.id) ?? state.host.metrics('facebook', post.id);
  const value = Number(numbers?.['views'] ?? 0);
  return c.json({
    data: metrics.map(name => ({
      name,
      period: 'lifetime',
      values: [{ value: name === 'post_reactions_by_type_total' ? { like: value } : value }],
      title: name,
      id: `${id}/insights/${name}/lifetime`,
    })),
    paging: {},
  });
}

function remove(c: Context, state: FacebookState, caller: Caller): Response {
  const id = c.req.param('id') ?? '';
  const video = state.videos.get(id);
  const photo = state.photos.get(id);
  const post = state.posts.get(id) ?? state.posts.get(video?.post_id ?? '');
  const found = video ?? photo ?? post;
  if (found?.page_id !== caller.page_id) return unknownObject(id, c.req.method);
  state.videos.delete(id);
  state.photos.delete(id);
  if (post) state.posts.delete(post.id);
  state.host.unpublish('facebook', id);
  return c.json({ success: true });
}
