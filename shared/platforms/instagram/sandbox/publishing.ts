import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import type { SandboxMedia, SandboxPost } from '../../contract/sandbox.ts';
import { paramsOf } from '../../families/meta/sandbox/params.ts';
import { graphError, invalidParameter, unknownObject } from '../../families/meta/sandbox/responses.ts';
import { pathAccount, type InstagramCaller } from './access.ts';
import { DAY_MS, statusOf } from './containers.ts';
import { refuse } from './errors.ts';
import { newId, type Account, type Container, type InstagramState, type LiveMedia } from './state.ts';

const DEFAULT_QUOTA = 50;

/** `POST /{account}/media_publish`. */
export async function publish(c: Context, state: InstagramState, caller: InstagramCaller): Promise<Response> {
  const account = pathAccount(c, caller);
  const { refuses_publishing_with: refused = [], next_publish: next } = account.modes;
  if (caller.kind !== 'instagram' && refused.includes(caller.kind)) return unknownObject(account.id, 'post');
  const { creation_id: id } = await paramsOf(c);
  if (id === undefined) return invalidParameter('The parameter creation_id is required.');
  const container = state.containers.get(id);
  if (container?.account_id !== account.id || container.is_child) return refuse(2207008);
  if (account.modes.restricted === true) return refuse(2207050);
  assertPublishable(state, container);
  const { used, total } = quotaOf(state, account);
  if (used >= total) return refuse(2207042);
  if (next) {
    const { next_publish: _, ...modes } = account.modes;
    state.accounts.set(account.id, { ...account, modes });
    if (next.live) makeVisible(state, account, container);
    const { status, code, subcode } = next;
    return subcode === 2207051
      ? refuse(subcode)
      : graphError({
          status,
          code,
          message: `(#${code}) An unknown error occurred`,
          ...(subcode === undefined ? {} : { subcode }),
        });
  }
  return c.json({ id: makeVisible(state, account, container).id });
}

function assertPublishable(state: InstagramState, container: Container): void {
  switch (statusOf(state, container)) {
    case 'EXPIRED':
      return refuse(2207020);
    case 'FINISHED':
      return undefined;
    default:
      return refuse(2207027);
  }
}

/**
 * Posts of the last 24 hours, and how many there may be. `POST /_control/limits {quota_total, quota_used}` sets both;
 * `quota_used` counts posts by other apps.
 */
export function quotaOf({ host, media }: InstagramState, { id }: Account): { used: number; total: number } {
  const limit = host.limit('instagram', id);
  const since = host.now() - DAY_MS;
  const own = media.values().filter(each => each.account_id === id && each.created_at > since).length;
  return {
    used: own + Number(limit?.['quota_used'] ?? 0),
    total: Number(limit?.['quota_total'] ?? DEFAULT_QUOTA),
  };
}

/** `GET /{account}/content_publishing_limit`. */
export function readLimit(c: Context, state: InstagramState, caller: InstagramCaller): Response {
  const { used, total } = quotaOf(state, pathAccount(c, caller));
  const fields = (c.req.query('fields') ?? 'quota_usage').split(',');
  const config = { quota_total: total, quota_duration: 86_400 };
  return c.json({
    data: [{ quota_usage: used, ...(fields.includes('config') ? { config } : {}) }],
  });
}

function makeVisible(state: InstagramState, account: Account, container: Container): LiveMedia {
  const isVideo = container.kind === 'REELS' || container.file?.type.startsWith('video/') === true;
  const media: LiveMedia = {
    id: newId('179'),
    account_id: account.id,
    container_id: container.id,
    media_type: container.kind === 'CAROUSEL' ? 'CAROUSEL_ALBUM' : isVideo ? 'VIDEO' : 'IMAGE',
    product: container.kind === 'STORIES' ? 'STORY' : container.kind === 'REELS' ? 'REELS' : 'FEED',
    caption: container.params['caption'] ?? null,
    shortcode: `C${randomBytes(8).toString('base64url').slice(0, 10)}`,
    created_at: state.host.now(),
  };
  state.media.set(media.id, media);
  state.containers.set(container.id, { ...container, media_id: media.id });
  state.host.publish(postOf(state, account, container, media));
  return media;
}

export const permalinkOf = ({ product, shortcode }: LiveMedia) =>
  `https://www.instagram.com/${product === 'REELS' ? 'reel' : 'p'}/${shortcode}/`;

function postOf(
  state: InstagramState,
  { username, id }: Account,
  container: Container,
  media: LiveMedia,
): SandboxPost {
  const parts = container.children.flatMap(child => state.containers.get(child) ?? []);
  const files: SandboxMedia[] = (parts.length > 0 ? parts : [container]).flatMap(({ file }) => file ?? []);
  return {
    platform: 'instagram',
    account: id,
    platform_post_id: media.id,
    platform_post_url: permalinkOf(media),
    kind: media.product === 'FEED' ? media.media_type.toLowerCase() : media.product.toLowerCase(),
    text: media.caption,
    title: null,
    media: files,
    comments: [],
    fields: {
      ...container.params,
      username,
      ...(parts.length > 0 ? { children_fields: parts.map(({ params }) => params) } : {}),
      ...(container.cover?.sha256 === undefined ? {} : { cover_sha256: container.cover.sha256 }),
    },
    published_at: new Date(media.created_at).toISOString(),
  };
}
