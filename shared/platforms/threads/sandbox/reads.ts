import type { Context, Hono } from 'hono';
import { SECOND } from '../../../time/instant.ts';
import { authorize, readParams, type Grant } from './access.ts';
import { statusOf } from './containers.ts';
import { invalidParameter, mediaNotFound } from './responses.ts';
import type { Container, ThreadsMedia, ThreadsState } from './state.ts';

const BASIC = ['threads_basic'];
const DEFAULT_PAGE = 25;
const MAX_PAGE = 100;

/** How a published container's type reads back. */
const READ_TYPES: Readonly<Record<Container['media_type'], string>> = {
  TEXT: 'TEXT_POST',
  IMAGE: 'IMAGE',
  VIDEO: 'VIDEO',
  CAROUSEL: 'CAROUSEL_ALBUM',
};

/** The profile, its posts, and single nodes: containers and posts. */
export function addReads(api: Hono, state: ThreadsState): void {
  api.get('/v1.0/me', async c => {
    const grant = authorize(c, state, await readParams(c, state), BASIC);
    return profile(c, grant);
  });
  api.get('/v1.0/:user/threads', async c => {
    const grant = authorize(c, state, await readParams(c, state), BASIC);
    return posts(c, state, grant);
  });
  api.get('/v1.0/:id', async c => {
    const grant = authorize(c, state, await readParams(c, state), BASIC);
    return node(c, state, grant);
  });
}

/** Returns the asked fields, and always the id. */
function pick(all: Record<string, unknown>, asked: readonly string[]) {
  const unknown = asked.find(field => !Object.hasOwn(all, field));
  if (unknown !== undefined) invalidParameter(`(#100) Tried accessing nonexisting field (${unknown})`);
  const names = new Set([...asked, 'id']);
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => names.has(name) && value !== undefined),
  );
}

const fieldsOf = (c: Context) => (c.req.query('fields') ?? 'id').split(',').filter(Boolean);

function profile(c: Context, { account: { id, username, name } }: Grant): Response {
  const all = {
    id,
    username,
    name,
    threads_profile_picture_url: `https://scontent.cdninstagram.com/v/${id}.jpg?oe=68A00000`,
    threads_biography: '',
    is_verified: false,
  };
  return c.json(pick(all, fieldsOf(c)));
}

function node(c: Context, state: ThreadsState, { account }: Grant): Response {
  const id = c.req.param('id') ?? '';
  const container = state.containers.get(id);
  if (container?.account_id === account.id) {
    return c.json(pick({ id, error_message: undefined, ...statusOf(state, container) }, fieldsOf(c)));
  }
  const media = state.media.get(id);
  if (media?.account_id !== account.id) return mediaNotFound();
  return c.json(pick(view(state, media), fieldsOf(c)));
}

function view(state: ThreadsState, media: ThreadsMedia): Record<string, unknown> {
  const container = state.containers.get(media.container_id);
  const username = state.accounts.get(media.account_id)?.username;
  const children = container?.children ?? [];
  return {
    id: media.id,
    media_product_type: 'THREADS',
    media_type: READ_TYPES[container?.media_type ?? 'TEXT'],
    permalink: media.permalink,
    shortcode: media.shortcode,
    owner: { id: media.account_id },
    username,
    text: container?.text === '' ? undefined : container?.text,
    timestamp: new Date(media.published_at).toISOString().replace(/\.\d+Z$/, '+0000'),
    topic_tag: container?.fields['topic_tag'],
    alt_text: container?.fields['alt_text'],
    is_quote_post: false,
    children: children.length > 0 ? { data: children.map(id => ({ id })) } : undefined,
  };
}

function posts(c: Context, state: ThreadsState, { account }: Grant): Response {
  const limit = Number(c.req.query('limit') ?? DEFAULT_PAGE);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) invalidParameter('Invalid parameter: limit');
  const since = unixTime(c, 'since') ?? 0;
  const until = unixTime(c, 'until') ?? Infinity;
  const start = Number(c.req.query('after') ?? 0);
  const fields = fieldsOf(c);
  const found = state.media
    .values()
    .filter(
      ({ account_id, published_at }) =>
        account_id === account.id && published_at >= since && published_at < until,
    )
    .reverse();
  const page = found.slice(start, start + limit);
  const end = start + page.length;
  const next = `https://graph.threads.net${c.req.path}?after=${end}`;
  return c.json({
    data: page.map(media => pick(view(state, media), fields)),
    paging: {
      cursors: { before: String(start), after: String(end) },
      ...(end < found.length ? { next } : {}),
    },
  });
}

/** Reads a time in Unix seconds and returns it in epoch milliseconds. */
export function unixTime(c: Context, name: string): number | null {
  const text = c.req.query(name);
  if (text === undefined) return null;
  if (!/^\d{1,10}$/.test(text)) invalidParameter(`Invalid parameter: ${name}`);
  return Number(text) * SECOND;
}
