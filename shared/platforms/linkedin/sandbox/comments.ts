import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import { requireScope, versioned } from './access.ts';
import { badRequest, denied, jsonBody, notFound, wrongAuthor } from './responses.ts';
import { mayActAs, organizationIn, postNumber, settingsOf, type Grant, type LinkedInState } from './state.ts';

const MAX_COMMENT = 1250;

const Comment = v.object({
  actor: v.string(),
  object: v.optional(v.string()),
  message: v.object({ text: v.pipe(v.string(), v.nonEmpty()) }),
});

/** Comments, which are plain text. */
export function addComments(app: Hono, state: LinkedInState): void {
  app.post(
    '/api.linkedin.com/rest/socialActions/:urn/comments',
    versioned(state, (c, grant) => comment(c, state, grant)),
  );
}

async function comment(c: Context, state: LinkedInState, grant: Grant): Promise<Response> {
  const { actor, object, message } = await jsonBody(c, Comment);
  const urn = c.req.param('urn') ?? '';
  if (grant.app.kind === 'self_serve')
    return denied(`socialActions.CREATE.${c.req.header('linkedin-version') ?? ''}01`);
  const [feed, social] =
    organizationIn(actor) === null
      ? ['w_member_social_feed', 'w_member_social']
      : ['w_organization_social_feed', 'w_organization_social'];
  const former = settingsOf(state).comment_scopes === 'social' ? [social] : [];
  requireScope(c, grant, 'socialActions.CREATE', feed, ...former);
  if (!mayActAs(grant, actor)) return wrongAuthor('actor');
  if (object !== undefined && object !== urn)
    return badRequest('INVALID_VALUE_FOR_FIELD', '/object is not the post');
  if (message.text.length > MAX_COMMENT) {
    return badRequest('FIELD_LENGTH_TOO_LONG', `/message/text must have at most ${MAX_COMMENT} characters`);
  }
  const post = state.host.posts('linkedin').find(({ platform_post_id }) => platform_post_id === urn);
  const now = state.host.now();
  const isKnown = post && now - Date.parse(post.published_at) >= settingsOf(state).comment_delay_s * 1000;
  if (!isKnown) return notFound('Unable to obtain activity');
  const id = postNumber(now);
  state.host.unpublish('linkedin', urn);
  state.host.publish({ ...post, comments: [...post.comments, { id, text: message.text }] });
  const activity = `urn:li:activity:${urn.split(':').at(-1) ?? ''}`;
  const body = {
    id,
    actor,
    object: activity,
    commentUrn: `urn:li:comment:(${activity},${id})`,
    message: { attributes: [], text: message.text },
    created: { actor, time: now },
  };
  return c.json(body, 201, { 'x-restli-id': id });
}
