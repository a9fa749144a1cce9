import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import type { JsonObject } from '../../../model/json.ts';
import { requireScope, versioned } from './access.ts';
import { acceptContent, ContentSchema, type PostKind } from './content.ts';
import { mentionedUrns, renderLittleText } from './little-text.ts';
import { badRequest, jsonBody, notFound, refuse, wrongAuthor } from './responses.ts';
import {
  mayActAs,
  organizationIn,
  postNumber,
  settingsOf,
  type Asset,
  type Grant,
  type LinkedInState,
  type Post,
} from './state.ts';

const MAX_TEXT = 3000;

const Create = v.strictObject({
  author: v.pipe(v.string(), v.regex(/^urn:li:(?:person|organization|organizationBrand):[\w-]+$/)),
  commentary: v.string(),
  visibility: v.picklist(['PUBLIC', 'CONNECTIONS', 'LOGGED_IN']),
  distribution: v.strictObject({
    feedDistribution: v.picklist(['MAIN_FEED', 'NONE']),
    targetEntities: v.optional(v.array(v.unknown())),
    thirdPartyDistributionChannels: v.optional(v.array(v.unknown())),
  }),
  content: v.optional(ContentSchema),
  lifecycleState: v.literal('PUBLISHED'),
  isReshareDisabledByAuthor: v.optional(v.boolean()),
});
type Create = v.InferOutput<typeof Create>;

/** Creating, listing, reading and deleting posts. */
export function addPosts(app: Hono, state: LinkedInState): void {
  const root = '/api.linkedin.com/rest/posts';
  app.post(
    root,
    versioned(state, (c, grant) => create(c, state, grant)),
  );
  app.get(
    root,
    versioned(state, (c, grant) => list(c, state, grant)),
  );
  app.get(
    `${root}/:urn`,
    versioned(state, (c, grant) => {
      const post = state.posts.get(c.req.param('urn') ?? '') ?? notFound('Post not found');
      requireReading(c, grant, post.author);
      return c.json(shown(post));
    }),
  );
  app.delete(
    `${root}/:urn`,
    versioned(state, (c, grant) => remove(c, state, grant)),
  );
}

async function create(c: Context, state: LinkedInState, grant: Grant): Promise<Response> {
  const body = await jsonBody(c, Create);
  const { author, visibility } = body;
  const isOrganization = organizationIn(author) !== null;
  requireScope(
    c,
    grant,
    'partnerApiPosts.CREATE',
    isOrganization ? 'w_organization_social' : 'w_member_social',
  );
  if (!mayActAs(grant, author)) return wrongAuthor('author');
  if (isOrganization && visibility !== 'PUBLIC') {
    return badRequest('INVALID_VALUE_FOR_FIELD', '/visibility must be PUBLIC for an organization');
  }
  const { kind, assets } = acceptContent(state, body.content, author);
  const text = acceptText(state, body);
  refuseDuplicate(state, body, text);

  const now = state.host.now();
  const usesUgc = (kind === 'video' || kind === 'document') !== settingsOf(state).swapped_urns;
  const urn = `urn:li:${usesUgc ? 'ugcPost' : 'share'}:${postNumber(now)}`;
  const post: Post = {
    urn,
    author,
    commentary: body.commentary,
    text,
    visibility,
    content: (body.content as JsonObject | undefined) ?? null,
    reshare_disabled: body.isReshareDisabledByAuthor ?? false,
    created_at: now,
  };
  state.posts.set(urn, post);
  publish(state, post, body, kind, assets);
  return c.body(null, 201, { 'x-restli-id': urn });
}

function acceptText(state: LinkedInState, { commentary, content }: Create): string {
  const { text, cut_at } = renderLittleText(commentary);
  if (cut_at !== null && settingsOf(state).unescaped === 'refuse') {
    return badRequest('INVALID_VALUE_FOR_FIELD', `/commentary: unescaped character at ${cut_at}`);
  }
  if (text.length > MAX_TEXT) {
    return badRequest('FIELD_LENGTH_TOO_LONG', `/commentary must have at most ${MAX_TEXT} characters`);
  }
  if (text.trim() === '' && !content)
    return badRequest('INVALID_VALUE_BLANK_FIELD', '/commentary must not be blank');
  return text;
}

function refuseDuplicate(state: LinkedInState, { author, content }: Create, text: string): void {
  const since = state.host.now() - settingsOf(state).duplicate_window_s * 1000;
  const wanted = JSON.stringify(content ?? null);
  const earlier = state.posts
    .values()
    .find(
      post =>
        post.author === author &&
        post.created_at > since &&
        post.text === text &&
        JSON.stringify(post.content) === wanted,
    );
  if (!earlier) return;
  refuse(422, {
    errorDetailType: 'com.linkedin.common.error.BadRequest',
    message: `com.linkedin.content.common.exception.BadRequestResponseException: Content is a duplicate of ${earlier.urn}`,
    errorDetails: {
      inputErrors: [{ description: 'Duplicate post is detected', input: {}, code: 'DUPLICATE_POST' }],
    },
    status: 422,
  });
}

function publish(
  { host }: LinkedInState,
  { urn, author, text, created_at, commentary }: Post,
  body: Create,
  kind: PostKind,
  assets: readonly Asset[],
): void {
  const mentions = mentionedUrns(commentary);
  const { content } = body;
  host.publish({
    platform: 'linkedin',
    account: author,
    platform_post_id: urn,
    platform_post_url: `https://www.linkedin.com/feed/update/${urn}/`,
    kind,
    text,
    title: content?.media?.title ?? content?.article?.title ?? null,
    media: assets.flatMap(({ file }) => file ?? []),
    comments: [],
    fields: JSON.parse(JSON.stringify({ ...body, ...(mentions.length > 0 && { mentions }) })) as JsonObject,
    published_at: new Date(created_at).toISOString(),
  });
}

/** Posts of members can be read with a permission that LinkedIn gives to nobody new. */
function requireReading(c: Context, grant: Grant, author: string): void {
  const scope = organizationIn(author) === null ? 'r_member_social' : 'r_organization_social';
  requireScope(c, grant, 'partnerApiPosts.FINDER-author', scope);
  if (!mayActAs(grant, author)) wrongAuthor('author');
}

function list(c: Context, state: LinkedInState, grant: Grant): Response {
  const { q, author = '', count = '10', start = '0', sortBy = 'LAST_MODIFIED' } = c.req.query();
  if (q !== 'author') return badRequest('PARAM_INVALID', 'q must be author');
  if (Number(count) > 100 || !['LAST_MODIFIED', 'CREATED'].includes(sortBy)) {
    return badRequest('PARAM_INVALID', 'Invalid count or sortBy');
  }
  requireReading(c, grant, author);
  const posts = state.posts
    .values()
    .filter(post => post.author === author)
    .reverse()
    .slice(Number(start), Number(start) + Number(count));
  return c.json({
    paging: { start: Number(start), count: Number(count), links: [] },
    elements: posts.map(shown),
  });
}

function shown({ urn, author, commentary, visibility, content, created_at }: Post) {
  return {
    id: urn,
    author,
    commentary,
    visibility,
    ...(content === null ? {} : { content }),
    lifecycleState: 'PUBLISHED',
    publishedAt: created_at,
    createdAt: created_at,
    lastModifiedAt: created_at,
  };
}

/** Succeeds for a post that was deleted already. */
function remove(c: Context, state: LinkedInState, grant: Grant): Response {
  const urn = c.req.param('urn') ?? '';
  const post = state.posts.get(urn);
  if (post && !mayActAs(grant, post.author)) return wrongAuthor('author');
  state.posts.delete(urn);
  state.host.unpublish('linkedin', urn);
  return c.body(null, 204);
}
