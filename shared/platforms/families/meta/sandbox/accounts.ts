import type { Context, Hono } from 'hono';
import { authenticate, guarded, type Caller } from './access.ts';
import { graphError, unknownObject } from './responses.ts';
import { randomToken, type MetaPage, type MetaState, type MetaUser } from './state.ts';

const GRAPH = '/graph.facebook.com';
const BUSINESS_ID = '900000000000001';

/** The logged-in user, granted permissions, Pages with their tokens, and the state of tokens. */
export function addAccounts(api: Hono, state: MetaState): void {
  api.get(`${GRAPH}/debug_token`, c => debugToken(c, state));
  api.get(
    `${GRAPH}/me`,
    guarded(state, { self: true }, (c, caller) => {
      const user = userOf(state, caller);
      const url = `https://platform-lookaside.fbsbx.com/platform/profilepic/?asid=${user.id}`;
      return c.json({ id: user.id, name: user.name, picture: { data: { url } } });
    }),
  );
  api.get(
    `${GRAPH}/me/permissions`,
    guarded(state, { self: true }, (c, { scopes }) =>
      c.json({
        data: state.scopes.map(permission => ({
          permission,
          status: scopes.includes(permission) ? 'granted' : 'declined',
        })),
      }),
    ),
  );
  api.delete(
    `${GRAPH}/:user/permissions`,
    guarded(state, {}, (c, caller) => revoke(c, state, caller)),
  );
  const lists = { scopes: ['pages_show_list'], self: true };
  api.get(
    `${GRAPH}/me/accounts`,
    guarded(state, lists, (c, caller) => {
      const { roles, business_pages } = userOf(state, caller);
      const ids = Object.keys(roles).filter(id => !business_pages.includes(id));
      return listPages(c, state, caller, ids);
    }),
  );
  const business = { scopes: ['business_management'] };
  api.get(
    `${GRAPH}/me/businesses`,
    guarded(state, { ...business, self: true }, (c, caller) =>
      c.json({
        data: userOf(state, caller).business_pages.length > 0 ? [{ id: BUSINESS_ID, name: 'Business' }] : [],
      }),
    ),
  );
  api.get(
    `${GRAPH}/${BUSINESS_ID}/owned_pages`,
    guarded(state, business, (c, caller) =>
      listPages(c, state, caller, userOf(state, caller).business_pages),
    ),
  );
  api.get(
    `${GRAPH}/${BUSINESS_ID}/client_pages`,
    guarded(state, business, c => c.json({ data: [] })),
  );
}

function userOf(state: MetaState, { user_id }: Caller): MetaUser {
  return state.users.get(user_id) ?? graphError({ code: 190, subcode: 458, message: 'Unknown user' });
}

/** Ends all tokens of the user, those of the Pages included. */
function revoke(c: Context, state: MetaState, caller: Caller): Response {
  const user = c.req.param('user') ?? '';
  if (user !== caller.user_id && user !== 'me') return unknownObject(user, 'delete');
  for (const [token, stored] of state.tokens.entries()) {
    if (stored.user_id === caller.user_id) state.tokens.set(token, { ...stored, error_subcode: 458 });
  }
  return c.json({ success: true });
}

/** Answers a part of the Pages by `limit` and `after`. */
function listPages(c: Context, state: MetaState, caller: Caller, ids: readonly string[]): Response {
  const fields = fieldsOf(c);
  // Mode `page_size`: the platform may return fewer than asked for.
  const most = Number(state.modes.get('page_size') ?? Infinity);
  const limit = Math.min(most, Number(c.req.query('limit') ?? 25));
  const start = Number(Buffer.from(c.req.query('after') ?? '', 'base64url').toString() || 0);
  const part = ids.slice(start, start + limit).flatMap(id => state.pages.get(id) ?? []);
  const after = Buffer.from(String(start + limit)).toString('base64url');
  const hasMore = start + limit < ids.length;
  // Meta's own URL holds the token, which records of the traffic must not show.
  const next = `https://graph.facebook.com/v26.0/me/accounts?pretty=0&after=${after}`;
  return c.json({
    data: part.map(page => viewOf(state, caller, page, fields)),
    paging: { cursors: { before: c.req.query('after') ?? '', after }, ...(hasMore ? { next } : {}) },
  });
}

const DEFAULT_FIELDS = ['access_token', 'category', 'name', 'id', 'tasks'];

/** Names of the requested fields, without their modifiers and sub-fields. */
function fieldsOf(c: Context): readonly string[] {
  const fields = c.req.query('fields');
  if (fields === undefined) return DEFAULT_FIELDS;
  const flat = fields.replaceAll(/\{[^}]*\}|\.[a-z]+\([^)]*\)/g, '');
  return flat.split(',');
}

function viewOf(state: MetaState, caller: Caller, page: MetaPage, fields: readonly string[]): object {
  const { id, name, username, instagram } = page;
  const all = {
    id,
    name,
    access_token: pageToken(state, caller, id),
    category: 'Brand',
    tasks: userOf(state, caller).roles[id] ?? [],
    ...(username === null ? {} : { username }),
    picture: { data: { url: `https://scontent.fbcdn.net/v/${id}.jpg?oe=65F00000` } },
    ...(instagram === null || !caller.scopes.includes('instagram_basic')
      ? {}
      : {
          instagram_business_account: {
            ...instagram,
            profile_picture_url: `https://scontent.cdninstagram.com/v/${instagram.id}.jpg`,
          },
        }),
  };
  return Object.fromEntries(Object.entries(all).filter(([field]) => fields.includes(field)));
}

/** A Page token from a long-lived user token has no expiry date; from a short-lived one it ends with that. */
export function pageToken(state: MetaState, caller: Caller, pageId: string): string {
  const { user_id, scopes, expires_at, long_lived } = caller;
  const known = state.tokens
    .entries()
    .find(
      ([, each]) =>
        each.page_id === pageId &&
        each.user_id === user_id &&
        each.long_lived === long_lived &&
        each.error_subcode === null &&
        each.scopes.join() === scopes.join(),
    );
  if (known && long_lived) return known[0];
  const token = randomToken('EAAP');
  state.tokens.set(token, {
    kind: 'page',
    user_id,
    page_id: pageId,
    scopes: [...scopes],
    issued_at: state.host.now(),
    expires_at: long_lived ? null : expires_at,
    long_lived,
    error_subcode: null,
  });
  return token;
}

/** Asked with the app's token (`<id>|<secret>`). */
function debugToken(c: Context, state: MetaState): Response {
  const { app } = state;
  const header = /^Bearer (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1];
  const caller = header ?? c.req.query('access_token');
  if (caller !== `${app.client_id}|${app.client_secret}`) authenticate(state, caller);
  const stored = state.tokens.get(c.req.query('input_token') ?? '');
  if (!stored)
    return c.json({
      data: { is_valid: false, scopes: [], error: { code: 190, message: 'Invalid OAuth access token.' } },
    });
  const { kind, user_id, page_id, scopes, issued_at, expires_at, error_subcode } = stored;
  const isExpired = expires_at !== null && expires_at <= state.host.now();
  const subcode = error_subcode ?? (isExpired ? 463 : null);
  const seconds = (ms: number) => Math.floor(ms / 1000);
  return c.json({
    data: {
      app_id: app.client_id,
      type: kind.toUpperCase(),
      application: 'Sandbox',
      is_valid: subcode === null,
      issued_at: seconds(issued_at),
      expires_at: expires_at === null ? 0 : seconds(expires_at),
      data_access_expires_at: seconds(issued_at) + 90 * 86_400,
      scopes,
      granular_scopes: scopes.map(scope => ({ scope })),
      user_id,
      ...(page_id === null ? {} : { profile_id: page_id }),
      ...(subcode === null
        ? {}
        : { error: { code: 190, subcode, message: 'Error validating access token' } }),
    },
  });
}
