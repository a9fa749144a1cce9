import type { Context } from 'hono';
import { graphError, unknownObject } from '../../families/meta/sandbox/responses.ts';
import { ownerOf, pathAccount, type InstagramCaller } from './access.ts';
import { DAY_MS, readContainer } from './containers.ts';
import { refuse } from './errors.ts';
import { permalinkOf } from './publishing.ts';
import type { Account, InstagramState, LiveMedia } from './state.ts';

/** `GET /{account}/media` and `GET /{account}/stories`. */
export function listMedia(
  c: Context,
  state: InstagramState,
  caller: InstagramCaller,
  edge: 'media' | 'stories',
): Response {
  const account = pathAccount(c, caller);
  const limit = Math.min(100, Number(c.req.query('limit') ?? 25));
  const media = state.media
    .values()
    .filter(each => each.account_id === account.id && isListed(state, each, edge))
    .toReversed()
    .slice(0, limit);
  const fields = fieldsOf(c, account, caller);
  return c.json({ data: media.map(each => viewOf(state, account, each, fields)) });
}

/** Stories are listed on their own, for a day. */
function isListed({ host }: InstagramState, { product, created_at }: LiveMedia, edge: string): boolean {
  if (product !== 'STORY') return edge === 'media';
  return edge === 'stories' && host.now() - created_at < DAY_MS;
}

/** `GET /{id}` of a container or a media. */
export function readObject(c: Context, state: InstagramState, caller: InstagramCaller): Response {
  const id = c.req.param('id') ?? '';
  const container = state.containers.get(id);
  if (container) return readContainer(c, state, caller, container);
  const { media, account } = findMedia(c, state, caller);
  return c.json(viewOf(state, account, media, fieldsOf(c, account, caller)));
}

function findMedia(
  c: Context,
  state: InstagramState,
  caller: InstagramCaller,
): { media: LiveMedia; account: Account } {
  const media = state.media.get(c.req.param('id') ?? '');
  const account = ownerOf(c, caller, media?.account_id);
  const isGone = media?.product === 'STORY' && state.host.now() - media.created_at >= DAY_MS;
  if (!media || isGone) return unknownObject(c.req.param('id') ?? '', c.req.method);
  return { media, account };
}

const FIELDS = [
  'id',
  'permalink',
  'shortcode',
  'media_type',
  'media_product_type',
  'timestamp',
  'username',
  'caption',
  'like_count',
  'comments_count',
];

function fieldsOf(c: Context, { modes }: Account, { host }: InstagramCaller): readonly string[] {
  const fields = (c.req.query('fields') ?? 'id').split(',');
  const isPlain = host === 'graph.instagram.com' && modes.plain_media_fields === true;
  const refused = isPlain ? ['caption', 'media_product_type'] : [];
  const unknown = fields.find(field => !FIELDS.includes(field) || refused.includes(field));
  if (unknown === undefined) return ['id', ...fields];
  return graphError({ code: 100, message: `(#100) Tried accessing nonexisting field (${unknown})` });
}

function viewOf(
  { host, comments }: InstagramState,
  { username, modes }: Account,
  media: LiveMedia,
  fields: readonly string[],
): object {
  const caption = modes.keeps_mentions === true ? media.caption : media.caption?.replaceAll('@', '');
  const metrics = host.metrics('instagram', media.id);
  const all: Record<string, unknown> = {
    id: media.id,
    permalink: permalinkOf(media),
    shortcode: media.shortcode,
    media_type: media.media_type,
    media_product_type: media.product,
    timestamp: timeOf(media.created_at),
    username,
    caption: caption ?? undefined,
    like_count: metrics?.['likes'] ?? 0,
    comments_count:
      metrics?.['comments'] ?? comments.values().filter(({ media_id }) => media_id === media.id).length,
  };
  return Object.fromEntries(fields.map(field => [field, all[field]]));
}

/** `2026-09-01T07:00:00+0000`. */
export const timeOf = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, '+0000');

const COMMON = ['views', 'reach', 'shares', 'reposts', 'total_interactions'];
const METRICS: Readonly<Record<LiveMedia['product'], readonly string[]>> = {
  FEED: [...COMMON, 'likes', 'comments', 'saved', 'follows', 'profile_visits', 'profile_activity'],
  REELS: [
    ...COMMON,
    'likes',
    'comments',
    'saved',
    'ig_reels_avg_watch_time',
    'ig_reels_video_view_total_time',
    'reels_skip_rate',
  ],
  STORY: [...COMMON, 'replies', 'navigation', 'follows', 'profile_visits', 'profile_activity'],
};

/** `GET /{media}/insights`. One unsuitable metric fails the call; a metric without a value is missing. */
export function readInsights(c: Context, state: InstagramState, caller: InstagramCaller): Response {
  const { media, account } = findMedia(c, state, caller);
  const names = c.req.query('metric')?.split(',') ?? [];
  if (names.length === 0) {
    return graphError({ code: 3001, subcode: 1504028, message: 'No metric was specified to be fetched.' });
  }
  const known = METRICS[media.product];
  const unsuitable = names.find(name => !known.includes(name));
  if (unsuitable !== undefined) {
    const message = `(#100) metric[0] must be one of the following values: ${known.join(', ')}`;
    return graphError({ code: 100, message });
  }
  if (media.product === 'STORY' && account.modes.few_viewers === true) {
    return graphError({ code: 10, message: '(#10) Not enough viewers for the media to show insights' });
  }
  const metrics = state.host.metrics('instagram', media.id);
  const measured = names.filter(name => typeof metrics?.[name] === 'number');
  return c.json({
    data: measured.map(name => ({
      name,
      period: 'lifetime',
      values: [{ value: metrics?.[name] }],
      title: name,
      description: name,
      id: `${media.id}/insights/${name}/lifetime`,
    })),
  });
}

/** `DELETE /{media}`: at graph.facebook.com, with the token of a user. */
export function deleteMedia(c: Context, state: InstagramState, caller: InstagramCaller): Response {
  const { media } = findMedia(c, state, caller);
  if (caller.kind !== 'user') return refuse(2207073);
  state.media.delete(media.id);
  state.host.unpublish('instagram', media.id);
  return c.json({ success: true, deleted_id: media.id });
}
