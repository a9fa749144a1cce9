import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import type { JsonObject } from '../../../model/json.ts';
import type { SandboxPost } from '../../contract/sandbox.ts';
import { guarded } from './access.ts';
import { findMedia, isReady, isVideo } from './media.ts';
import { addReads } from './reads.ts';
import { forbidden, invalidRequest, jsonBody, notFound } from './responses.ts';
import {
  snowflake,
  type Grant,
  type ShownText,
  type XAccount,
  type XMedia,
  type XPost,
  type XState,
} from './state.ts';
import { countCashtags, countWeight, findUrls, hasForbidden } from './text.ts';

const TEXT_LIMIT = 280;
const PREMIUM_TEXT_LIMIT = 25_000;
const MAX_VIDEO_S = 140;
const DUPLICATE_WINDOW_MS = 5 * 60_000;
const NOT_PERMITTED = 'You are not permitted to perform this action.';

const Id = v.pipe(v.string(), v.regex(/^\d{1,19}$/));
const Create = v.strictObject({
  text: v.optional(v.string(), ''),
  media: v.optional(
    v.strictObject({
      media_ids: v.pipe(v.array(Id), v.minLength(1), v.maxLength(4)),
      tagged_user_ids: v.optional(v.pipe(v.array(Id), v.maxLength(10))),
    }),
  ),
  reply_settings: v.optional(v.picklist(['following', 'mentionedUsers', 'subscribers', 'verified'])),
  made_with_ai: v.optional(v.boolean()),
  paid_partnership: v.optional(v.boolean()),
});
type Create = v.InferOutput<typeof Create>;

/** Creating, reading and deleting posts. */
export function addPosts(app: Hono, state: XState): void {
  const root = '/api.x.com/2/tweets';
  app.post(
    root,
    guarded(state, 'create', (c, grant) => create(c, state, grant)),
  );
  app.delete(
    `${root}/:id`,
    guarded(state, 'delete', (c, grant) => remove(c, state, grant)),
  );
  addReads(app, state);
}

async function create(c: Context, state: XState, grant: Grant): Promise<Response> {
  const body = await jsonBody(c, Create);
  const media = attachedMedia(state, body.media?.media_ids ?? [], grant);
  const text = body.text.normalize('NFC').trim();
  checkText(text, media, grant);
  if (isDuplicate(state, text, media, grant)) {
    return forbidden('You are not allowed to create a Tweet with duplicate content.');
  }
  const now = state.host.now();
  const id = snowflake(now);
  const post: XPost = {
    id,
    account_id: grant.account.id,
    created_at: now,
    text,
    shown: shownText(id, text, media, grant.account.username),
    media_keys: media.map(({ key }) => key),
    reply_settings: body.reply_settings ?? null,
  };
  state.posts.set(id, post);
  state.host.publish(publicPost(post, grant.account, media, body));
  const history = [id];
  return c.json(
    { data: { id, text: post.shown.text, edit_history_tweet_ids: history, edit_history_post_ids: history } },
    201,
  );
}

function attachedMedia(state: XState, ids: readonly string[], grant: Grant): XMedia[] {
  const media = ids.flatMap(id => findMedia(state, id, grant) ?? []);
  if (media.length < ids.length || media.some(item => !isReady(state, item))) {
    return invalidRequest('Your media IDs are invalid.');
  }
  const isSingle = media.some(({ category }) => category !== 'tweet_image');
  if (isSingle && media.length > 1) {
    return invalidRequest('A post carries up to 4 images, or 1 GIF, or 1 video.');
  }
  if (media.some(item => isTooLong(item, grant))) {
    return forbidden('This user is not allowed to post a video longer than 2 minutes.');
  }
  return media;
}

function isTooLong({ category, file }: XMedia, { account }: Grant): boolean {
  return category === 'tweet_video' && !account.premium && (file?.duration ?? 0) > MAX_VIDEO_S;
}

function checkText(text: string, media: readonly XMedia[], { account }: Grant): void {
  if (text === '' && media.length === 0) invalidRequest('Post text is required unless media is given.');
  if (hasForbidden(text)) invalidRequest('text contains invalid characters.');
  if (countWeight(text) > (account.premium ? PREMIUM_TEXT_LIMIT : TEXT_LIMIT)) forbidden(NOT_PERMITTED);
  if (countCashtags(text) > 1) forbidden(NOT_PERMITTED);
}

/** Posts with media are never duplicates: their media links differ. */
function isDuplicate(state: XState, text: string, media: readonly XMedia[], { account }: Grant): boolean {
  const since = state.host.now() - DUPLICATE_WINDOW_MS;
  if (media.length > 0) return false;
  return state.posts
    .values()
    .some(
      post =>
        post.account_id === account.id &&
        post.created_at > since &&
        post.media_keys.length === 0 &&
        post.text === text,
    );
}

/** The text as X returns it: with t.co links, encoded markup characters and a link to the media. */
function shownText(id: string, text: string, media: readonly XMedia[], username: string): ShownText {
  const urls: ShownText['urls'] = [];
  let shown = '';
  let from = 0;
  const wrap = (expanded: string, key?: string) => {
    const url = `https://t.co/${id.slice(-8)}${urls.length}`;
    const start = Array.from(shown).length;
    urls.push({
      start,
      end: start + url.length,
      url,
      expanded_url: expanded,
      display_url: expanded.replace(/^https?:\/\//, '').slice(0, 30),
      ...(key === undefined ? {} : { media_key: key }),
    });
    shown += url;
  };
  for (const found of findUrls(text)) {
    shown += encode(text.slice(from, found.start));
    wrap(found.expanded);
    from = found.end;
  }
  shown += encode(text.slice(from));
  const [first] = media;
  if (first) {
    if (shown !== '') shown += ' ';
    const kind = first.category === 'tweet_image' ? 'photo' : 'video';
    wrap(`https://x.com/${username}/status/${id}/${kind}/1`, first.key);
  }
  return { text: shown, urls };
}

function encode(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function publicPost(post: XPost, account: XAccount, media: readonly XMedia[], body: Create): SandboxPost {
  const [first] = media;
  const described = media.filter(({ altText }) => altText !== null);
  const altTexts = described.length > 0 ? { alt_texts: described.map(({ altText }) => altText) } : {};
  return {
    platform: 'x',
    account: account.id,
    platform_post_id: post.id,
    platform_post_url: `https://x.com/${account.username}/status/${post.id}`,
    kind: first ? (isVideo(first) ? 'video' : 'image') : 'text',
    text: post.text,
    title: null,
    media: media.flatMap(({ file }) => file ?? []),
    comments: [],
    fields: JSON.parse(JSON.stringify({ ...body, ...altTexts })) as JsonObject,
    published_at: new Date(post.created_at).toISOString(),
  };
}

function remove(c: Context, state: XState, { account }: Grant): Response {
  const id = c.req.param('id') ?? '';
  const post = state.posts.get(id);
  if (!post) return notFound('tweet', id);
  if (post.account_id !== account.id) return forbidden('You are not authorized to delete this Tweet.');
  state.posts.delete(id);
  state.host.unpublish('x', id);
  return c.json({ data: { deleted: true } });
}
