import type { Context, Hono } from 'hono';
import { guarded, type Caller } from '../../families/meta/sandbox/access.ts';
import { paramsOf } from '../../families/meta/sandbox/params.ts';
import { graphError, invalidParameter } from '../../families/meta/sandbox/responses.ts';
import {
  metaTime,
  newId,
  shownMedia,
  type FacebookPhoto,
  type FacebookPost,
  type FacebookState,
} from './state.ts';

const GRAPH = '/graph.facebook.com';
const DUPLICATE_MS = 60_000;
const STAGED_LIFE_MS = 24 * 3600_000;
const MAX_MESSAGE = 63_206;

/** Posts of a Page: text, link, staged photos; listing them. */
export function addPosts(api: Hono, state: FacebookState): void {
  api.post(
    `${GRAPH}/:page/feed`,
    guarded(state, { scopes: ['pages_manage_posts'] }, (c, caller) => createPost(c, state, caller)),
  );
  for (const edge of ['feed', 'posts', 'published_posts']) {
    api.get(
      `${GRAPH}/:page/${edge}`,
      guarded(state, {}, (c, caller) => listPosts(c, state, caller)),
    );
  }
}

/** Ends the request unless the token is the Page's own. */
export function requirePage(c: Context, { kind, page_id }: Caller): string {
  const id = c.req.param('page') ?? '';
  if (kind === 'page' && page_id === id) return id;
  return graphError({
    status: 403,
    code: 200,
    message: '(#200) The user token cannot act as this Page: use an access token of the Page',
  });
}

async function createPost(c: Context, state: FacebookState, caller: Caller): Promise<Response> {
  const page = requirePage(c, caller);
  const params = await paramsOf(c);
  const { message = '', link = null } = params;
  const photos = attachedPhotos(state, page, params);
  if (message === '' && link === null && photos.length === 0)
    return invalidParameter('You must provide a message, a link or attached_media');
  if (Array.from(message).length > MAX_MESSAGE) return invalidParameter('Param message is too long');
  if (link !== null) checkLink(link);
  refuseDuplicate(state, page, message);
  for (const photo of photos) state.photos.set(photo.id, { ...photo, published: true });
  const post = addPost(state, { page_id: page, message, link, media_ids: photos.map(({ id }) => id) });
  show(state, post, photos, params);
  const wantsPermalink = c.req.query('fields')?.split(',').includes('permalink_url') === true;
  return c.json({ id: post.id, ...(wantsPermalink ? { permalink_url: permalink(post) } : {}) });
}

/** `attached_media` comes as fields with an index, as one field with a list, or in JSON. */
function attachedPhotos(
  state: FacebookState,
  page: string,
  params: Readonly<Record<string, string>>,
): FacebookPhoto[] {
  const indexed = Object.keys(params)
    .flatMap(name => /^attached_media\[(\d+)\]$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((one, other) => one - other);
  if (indexed.some((index, position) => index !== position))
    return invalidParameter('Param attached_media must have indexes from 0');
  const texts = indexed.map(index => params[`attached_media[${index}]`] ?? '');
  const list = params['attached_media'] ?? (texts.length > 0 ? `[${texts.join(',')}]` : '[]');
  const items = parseList(list);
  if (items.length === 0) return [];
  if (items.length === 1 || items.length > 10)
    return invalidParameter('Param attached_media must have 2 to 10 items');
  return items.map(id => requireStaged(state, page, id));
}

function parseList(text: string): string[] {
  try {
    const items = JSON.parse(text) as { media_fbid?: unknown }[];
    return items.map(({ media_fbid }) =>
      typeof media_fbid === 'string' ? media_fbid : invalidParameter('media_fbid must be a string'),
    );
  } catch (error) {
    if (error instanceof SyntaxError)
      return invalidParameter('Param attached_media must be a list of objects');
    throw error;
  }
}

function requireStaged(state: FacebookState, page: string, id: string): FacebookPhoto {
  const photo = state.photos.get(id);
  const isUsable =
    photo?.page_id === page && !photo.published && state.host.now() - photo.created_at < STAGED_LIFE_MS;
  return photo && isUsable ? photo : invalidParameter(`Invalid media_fbid ${id}`);
}

function checkLink(link: string): void {
  if (!URL.canParse(link)) graphError({ code: 1500, message: '(#1500) The url you supplied is invalid' });
  const { hostname } = new URL(link);
  if (/(?:^|\.)facebook\.com$/.test(hostname))
    graphError({ code: 200, subcode: 1609008, message: '(#200) Posts to facebook.com cannot be shared' });
  if (hostname.endsWith('.invalid'))
    graphError({ code: 1609005, message: '(#1609005) The link could not be scraped' });
}

/** The same text within a minute. */
export function refuseDuplicate(state: FacebookState, page: string, message: string): void {
  const since = state.host.now() - DUPLICATE_MS;
  const isKnown = state.posts
    .values()
    .some(post => post.page_id === page && post.created_at >= since && post.message === message);
  if (message !== '' && isKnown)
    graphError({ code: 506, message: '(#506) Duplicate status message', subcode: 1455006 });
}

export function addPost(
  state: FacebookState,
  post: Omit<FacebookPost, 'id' | 'created_at' | 'comments' | 'listed'>,
  listed = true,
): FacebookPost {
  const added = {
    ...post,
    listed,
    id: `${post.page_id}_${newId(state)}`,
    created_at: state.host.now(),
    comments: [],
  };
  state.posts.set(added.id, added);
  return added;
}

export const permalink = ({ id, page_id }: FacebookPost) =>
  `https://www.facebook.com/${page_id}/posts/${id.split('_')[1] ?? ''}`;

/** Shows a post on the sandbox's page. */
export function show(
  { host }: FacebookState,
  post: FacebookPost,
  photos: readonly FacebookPhoto[],
  fields: Readonly<Record<string, string>>,
): void {
  const altTexts = photos.map(({ alt }) => alt);
  host.publish({
    platform: 'facebook',
    account: post.page_id,
    platform_post_id: post.id,
    platform_post_url: permalink(post),
    kind: photos.length === 0 ? 'text' : photos.length === 1 ? 'image' : 'album',
    text: post.message,
    title: null,
    media: shownMedia(photos),
    comments: [],
    fields: { ...fields, ...(altTexts.some(text => text !== null) ? { alt_texts: altTexts } : {}) },
    published_at: new Date(post.created_at).toISOString(),
  });
}

/** Mode `hidden_ms`: posts and videos answer 100/33 until they are this old. */
export function isHidden({ host, modes }: FacebookState, created_at: number): boolean {
  return created_at > host.now() - Number(modes.get('hidden_ms') ?? 0);
}

/** Mode `feed_delay_ms`: posts and videos are listed only when they are this old. */
export function isListed({ host, modes }: FacebookState, created_at: number): boolean {
  return created_at <= host.now() - Number(modes.get('feed_delay_ms') ?? 0);
}

function listPosts(c: Context, state: FacebookState, caller: Caller): Response {
  const page = requirePage(c, caller);
  if (!caller.scopes.includes('pages_read_user_content')) return noUserContent();
  const limit = Number(c.req.query('limit') ?? 25);
  if (limit > 100) return invalidParameter('Param limit must be at most 100');
  const fields = c.req.query('fields') ?? 'created_time,message,id';
  const data = state.posts
    .values()
    .filter(post => post.page_id === page && post.listed && isListed(state, post.created_at))
    .sort((one, other) => other.created_at - one.created_at)
    .slice(0, limit)
    .map(post => viewOf(post, fields));
  return c.json({ data, paging: { cursors: { before: 'b', after: 'a' } } });
}

function noUserContent(): never {
  return graphError({
    status: 403,
    code: 10,
    message:
      "(#10) This endpoint requires the 'pages_read_user_content' permission or the 'Page Public Content Access' feature.",
  });
}

function viewOf(post: FacebookPost, fields: string): object {
  const [first, ...others] = post.media_ids;
  const target = (id: string | undefined) => ({ target: { id } });
  const attachments =
    first === undefined
      ? {}
      : {
          attachments: {
            data: [
              others.length === 0
                ? target(first)
                : { ...target(post.id), subattachments: { data: post.media_ids.map(target) } },
            ],
          },
        };
  const all = {
    id: post.id,
    created_time: metaTime(post.created_at),
    permalink_url: permalink(post),
    ...(post.message === '' ? {} : { message: post.message }),
    ...attachments,
  };
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => name === 'id' || new RegExp(`(?:^|,)${name}\\b`).test(fields)),
  );
}

/** Finds the post of an id, which may be that of its video. */
export function findPost(state: FacebookState, id: string): FacebookPost | undefined {
  return state.posts.get(id) ?? state.posts.get(state.videos.get(id)?.post_id ?? '');
}
