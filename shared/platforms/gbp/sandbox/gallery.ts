import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import { MINUTE } from '../../../time/instant.ts';
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
import { badRequest, invalid, invalidWithoutDetails, notFound } from './errors.ts';
import { protoJson } from './proto-json.ts';
import { fetchPhoto, fetchVideo } from './sources.ts';
import { newId, switchesOf, type GbpState, type StoredMediaItem } from './state.ts';
import type { User } from './users.ts';

const PATH = `/${POSTS_HOST}/v4/accounts/:a{[0-9]+}/locations/:l{[0-9]+}/media`;

const CATEGORIES = [
  'COVER',
  'PROFILE',
  'LOGO',
  'EXTERIOR',
  'INTERIOR',
  'PRODUCT',
  'AT_WORK',
  'FOOD_AND_DRINK',
  'MENU',
  'COMMON_AREA',
  'ROOMS',
  'TEAMS',
  'ADDITIONAL',
];

const ItemSchema = v.strictObject({
  mediaFormat: v.optional(v.string(), ''),
  locationAssociation: v.optional(v.strictObject({ category: v.optional(v.string(), '') })),
  sourceUrl: v.optional(v.string(), ''),
  description: v.optional(v.string(), ''),
});

/** Photos and videos of a location. */
export function addGallery(app: Hono, guard: Guard): void {
  const { state } = guard;
  app.post(PATH, c => create(c, guard));
  app.get(PATH, c => {
    const user = authorize(c, guard, POSTS_HOST);
    requireLocation(c, guard, user);
    const all = state.media.values().filter(({ name }) => isOfLocation(c, name, 'media'));
    const ordered = switchesOf(state, user).oldest_first ? all : all.toReversed();
    const { items, nextPageToken } = pageOf(c, ordered, { default: 100, max: 2500 });
    return protoJson({ mediaItems: items.map(view), totalMediaItemCount: all.length, nextPageToken });
  });
  app.get(`${PATH}/profile`, c => {
    const user = authorize(c, guard, POSTS_HOST);
    requireLocation(c, guard, user);
    if (!switchesOf(state, user).photo) notFound();
    const thumbnailUrl = 'https://lh3.googleusercontent.com/p/AF1Qip-profile=s100';
    return protoJson({ name: `${parentOf(c)}/media/profile`, mediaFormat: 'PHOTO', thumbnailUrl });
  });
  app.get(`${PATH}/:id`, c => protoJson(view(requireItem(c, guard))));
  app.delete(`${PATH}/:id`, c => {
    const { name } = requireItem(c, guard);
    state.media.delete(name);
    state.host.unpublish('gbp', name);
    return protoJson({});
  });
}

const parentOf = (c: Context) => `accounts/${c.req.param('a') ?? ''}/locations/${c.req.param('l') ?? ''}`;

function requireItem(c: Context, guard: Guard): StoredMediaItem {
  const user = authorize(c, guard, POSTS_HOST);
  requireLocation(c, guard, user);
  const isMeant = ({ name }: StoredMediaItem) =>
    isOfLocation(c, name, 'media') && name.endsWith(`/${c.req.param('id') ?? ''}`);
  const item = guard.state.media.values().find(isMeant) ?? notFound();
  if (item.format === 'VIDEO' && switchesOf(guard.state, user).drop_videos) {
    guard.state.host.unpublish('gbp', item.name);
    return notFound();
  }
  return item;
}

async function create(c: Context, guard: Guard): Promise<Response> {
  const { state } = guard;
  const user = authorize(c, guard, POSTS_HOST);
  const location = requireLocation(c, guard, user);
  countEdit(state, location);
  const { mediaFormat, locationAssociation, sourceUrl, description } = await readItem(c);
  if (mediaFormat === 'VIDEO') refuseSecond(state, user, parentOf(c));
  const file = await (mediaFormat === 'VIDEO' ? fetchVideo : fetchPhoto)(state, sourceUrl);
  const item: StoredMediaItem = {
    name: `${parentOf(c)}/media/AF1Qip${newId()}`,
    user_id: user.id,
    format: mediaFormat,
    category: locationAssociation?.category ?? '',
    description: description === '' ? null : description,
    source_url: sourceUrl,
    width: file.width ?? 0,
    height: file.height ?? 0,
    created_at: state.host.now(),
  };
  state.media.set(item.name, item);
  show(state, item, file);
  return protoJson(view(item));
}

async function readItem(c: Context): Promise<v.InferOutput<typeof ItemSchema>> {
  const parsed = v.safeParse(ItemSchema, await c.req.json().catch(() => null));
  if (!parsed.success) return badRequest('media', parsed.issues[0].message);
  const { mediaFormat, locationAssociation, sourceUrl } = parsed.output;
  if (!['PHOTO', 'VIDEO'].includes(mediaFormat)) {
    invalid({ code: 2, field: 'media_format', message: 'media_format is required' });
  }
  if (!CATEGORIES.includes(locationAssociation?.category ?? '')) {
    invalid({ code: 2, field: 'location_association', message: 'location_association is required' });
  }
  if (sourceUrl === '') invalid({ code: 2, field: 'source_url', message: 'source_url is required' });
  return parsed.output;
}

/** A video soon after another one may be refused without a word. */
function refuseSecond(state: GbpState, user: User, parent: string): void {
  const since = state.host.now() - 5 * MINUTE;
  const isSecond = state.media
    .values()
    .some(
      ({ name, format, created_at }) => name.startsWith(parent) && format === 'VIDEO' && created_at > since,
    );
  if (isSecond && switchesOf(state, user).refuse_second_video) invalidWithoutDetails();
}

function view({
  name,
  format,
  category,
  description,
  source_url,
  width,
  height,
  created_at,
}: StoredMediaItem) {
  return {
    name,
    sourceUrl: source_url,
    mediaFormat: format,
    locationAssociation: { category },
    description,
    googleUrl: 'https://lh3.googleusercontent.com/p/AF1Qip',
    thumbnailUrl: 'https://lh3.googleusercontent.com/p/AF1Qip=s100',
    createTime: new Date(created_at).toISOString(),
    dimensions: { widthPixels: width, heightPixels: height },
  };
}

function show({ host }: GbpState, item: StoredMediaItem, file: StoredMedia): void {
  const { name, user_id, format, category, description, source_url, created_at } = item;
  host.publish({
    platform: 'gbp',
    account: user_id,
    platform_post_id: name,
    platform_post_url: null,
    kind: format === 'VIDEO' ? 'video' : 'image',
    text: description ?? '',
    title: null,
    media: [file],
    comments: [],
    fields: { mediaFormat: format, category, sourceUrl: source_url },
    published_at: new Date(created_at).toISOString(),
  });
}
