import type { Context } from 'hono';
import { paramsOf } from '../../families/meta/sandbox/params.ts';
import { graphError, invalidParameter, unknownObject } from '../../families/meta/sandbox/responses.ts';
import { ownerOf, type InstagramCaller } from './access.ts';
import { timeOf } from './reads.ts';
import { newId, type InstagramState, type LiveMedia } from './state.ts';

/** `POST /{media}/comments`. With `fields`, the comment is created and the request fails. */
export async function createComment(
  c: Context,
  state: InstagramState,
  caller: InstagramCaller,
): Promise<Response> {
  const media = requireMedia(c, state);
  const account = ownerOf(c, caller, media.account_id);
  const { message, fields } = await paramsOf(c);
  if (message === undefined || message.trim() === '')
    return invalidParameter('The parameter message is required');
  if (media.product === 'STORY' || account.modes.no_comments === true) {
    return invalidParameter('Comments are not allowed on this media');
  }
  const id = newId('178');
  const { username } = account;
  state.comments.set(id, { id, media_id: media.id, username, text: message, created_at: state.host.now() });
  show(state, media);
  if (fields === undefined) return c.json({ id });
  return graphError({
    code: 20,
    subcode: 1772107,
    message: 'This API call does not support the requested response format',
  });
}

/** Publishes the post again with its comments. */
function show({ host, comments }: InstagramState, { id }: LiveMedia): void {
  const post = host.posts('instagram').find(each => each.platform_post_id === id);
  if (!post) return;
  const shown = comments.values().filter(({ media_id }) => media_id === id);
  host.unpublish('instagram', id);
  host.publish({ ...post, comments: shown.map(each => ({ id: each.id, text: each.text })) });
}

/** `GET /{media}/comments`. */
export function listComments(c: Context, state: InstagramState, caller: InstagramCaller): Response {
  const media = requireMedia(c, state);
  ownerOf(c, caller, media.account_id);
  const fields = (c.req.query('fields') ?? 'id,text,timestamp').split(',');
  const comments = state.comments.values().filter(({ media_id }) => media_id === media.id);
  return c.json({
    data: comments.map(({ id, text, username, created_at }) => {
      const all: Record<string, string> = { id, text, username, timestamp: timeOf(created_at) };
      return Object.fromEntries(fields.map(field => [field, all[field]]));
    }),
  });
}

function requireMedia(c: Context, { media }: InstagramState): LiveMedia {
  const id = c.req.param('id') ?? '';
  return media.get(id) ?? unknownObject(id, c.req.method);
}
