import type { Context, Hono } from 'hono';
import { guarded, requireScopes, type Caller } from '../../families/meta/sandbox/access.ts';
import { paramsOf } from '../../families/meta/sandbox/params.ts';
import { invalidParameter, unknownObject } from '../../families/meta/sandbox/responses.ts';
import { findPost, isHidden } from './posts.ts';
import { newId, type FacebookPost, type FacebookState } from './state.ts';

const GRAPH = '/graph.facebook.com';

/** Comments on posts and on videos, by the Page. */
export function addComments(api: Hono, state: FacebookState): void {
  api.post(
    `${GRAPH}/:id/comments`,
    guarded(state, { scopes: ['pages_manage_engagement'] }, (c, caller) => comment(c, state, caller)),
  );
  api.get(
    `${GRAPH}/:id/comments`,
    guarded(state, { scopes: ['pages_read_engagement'] }, (c, caller) => listComments(c, state, caller)),
  );
}

/** Returns the post of a path. Ends the request where it is not the Page's, or not shown yet. */
function requirePost(c: Context, state: FacebookState, caller: Caller): FacebookPost {
  const id = c.req.param('id') ?? '';
  const post = findPost(state, id);
  const isShown = post?.page_id === caller.page_id && !isHidden(state, post.created_at);
  return post && isShown ? post : unknownObject(id, c.req.method);
}

async function comment(c: Context, state: FacebookState, caller: Caller): Promise<Response> {
  const post = requirePost(c, state, caller);
  const { message = '' } = await paramsOf(c);
  if (message === '') return invalidParameter('Param message is required');
  const added = { id: `${post.id.split('_')[1] ?? ''}_${newId(state)}`, message, from: post.page_id };
  const comments = [...post.comments, added];
  state.posts.set(post.id, { ...post, comments });
  const shown = state.host
    .posts('facebook')
    .find(({ platform_post_id }) => [post.id, ...post.media_ids].includes(platform_post_id));
  shown?.comments.push({ id: added.id, text: message });
  return c.json({ id: added.id });
}

function listComments(c: Context, state: FacebookState, caller: Caller): Response {
  requireScopes(caller, ['pages_read_user_content']);
  const post = requirePost(c, state, caller);
  return c.json({
    data: post.comments.map(({ from, ...each }) => ({ ...each, from: { id: from, name: 'Page' } })),
  });
}
