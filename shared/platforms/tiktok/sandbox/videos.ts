import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import { SECOND } from '../../../time/instant.ts';
import { authorize, invalid, jsonBody, ok, READ, type Grant } from './access.ts';
import { isPublic, settle, textsOf } from './processes.ts';
import { settingsOf, type Process, type TikTokState } from './state.ts';

const FIELDS = [
  'id',
  'create_time',
  'title',
  'video_description',
  'share_url',
  'duration',
  'view_count',
  'like_count',
  'comment_count',
  'share_count',
];

const QuerySchema = v.strictObject({
  filters: v.strictObject({
    video_ids: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(20)),
  }),
});
const ListSchema = v.strictObject({
  cursor: v.exactOptional(v.number()),
  max_count: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(20)), 10),
});

/** The account's own public posts. */
export function addVideos(api: Hono, state: TikTokState): void {
  api.post('/v2/video/query/', async c => {
    const grant = authorize(c, state, READ, 'video.list');
    const { video_ids } = (await jsonBody(c, QuerySchema)).filters;
    const found = publicPosts(state, grant).filter(({ post_id }) => video_ids.includes(post_id ?? ''));
    return ok(c, { videos: found.map(each => viewOf(c, state, each)) });
  });
  api.post('/v2/video/list/', async c => {
    const grant = authorize(c, state, READ, 'video.list');
    const { cursor = Infinity, max_count } = await jsonBody(c, ListSchema);
    const listed = publicPosts(state, grant)
      .filter(
        ({ kind, live_at }) =>
          (kind === 'video' || settingsOf(state).photos_listed) && (live_at ?? 0) < cursor,
      )
      .toSorted((a, b) => (b.live_at ?? 0) - (a.live_at ?? 0));
    const page = listed.slice(0, max_count);
    return ok(c, {
      videos: page.map(each => viewOf(c, state, each)),
      cursor: page.at(-1)?.live_at ?? 0,
      has_more: listed.length > page.length,
    });
  });
}

function publicPosts(state: TikTokState, { account }: Grant): Process[] {
  settle(state);
  return state.processes
    .values()
    .filter(each => each.account_id === account.id && each.post_id !== null && isPublic(each));
}

function viewOf(c: Context, { host, accounts }: TikTokState, process: Process): object {
  const fields = (c.req.query('fields') ?? '').split(',');
  const unknown = fields.find(field => !FIELDS.includes(field));
  if (unknown !== undefined) return invalid(`Invalid field: ${unknown}`);
  const { post_id, live_at, files, kind } = process;
  const { text, title } = textsOf(process);
  const metrics = host.metrics('tiktok', post_id ?? '') ?? {};
  const values: Readonly<Record<string, unknown>> = {
    id: post_id,
    create_time: Math.floor((live_at ?? 0) / SECOND),
    title: kind === 'video' ? text : title,
    video_description: text,
    share_url: `https://www.tiktok.com/@${accounts.get(process.account_id)?.username}/${kind}/${post_id}`,
    duration: Math.round(files[0]?.duration ?? 0),
    view_count: metrics['views'] ?? 0,
    like_count: metrics['likes'] ?? 0,
    comment_count: metrics['comments'] ?? 0,
    share_count: metrics['shares'] ?? 0,
  };
  return Object.fromEntries(fields.map(field => [field, values[field]]));
}
