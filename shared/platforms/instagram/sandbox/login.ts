import type { Context, Hono } from 'hono';
import { consentErrorHtml, consentHtml } from '../../kit/sandbox/consent-page.ts';
import { authenticate, guarded } from '../../families/meta/sandbox/access.ts';
import { paramsOf } from '../../families/meta/sandbox/params.ts';
import { graphError, invalidParameter, oauthError } from '../../families/meta/sandbox/responses.ts';
import { randomToken } from '../../families/meta/sandbox/state.ts';
import { DAY_MS } from './containers.ts';
import { APP, findAccount, SCOPES, type Account, type InstagramState } from './state.ts';

const HOUR_MS = 3600_000;
const LONG_LIFE_MS = 60 * DAY_MS;

/** Instagram Login: its consent page and token endpoints. */
export function addLogin(app: Hono, api: Hono, state: InstagramState): void {
  app.get('/www.instagram.com/oauth/authorize', c => authorizePage(c, state));
  app.post('/api.instagram.com/oauth/access_token', c => exchange(c, state));
  api.get('/graph.instagram.com/access_token', c => extend(c, state));
  api.get('/graph.instagram.com/refresh_access_token', c => refresh(c, state));
  api.get(
    '/graph.instagram.com/me',
    guarded(state.instagram, { self: true }, (c, { user_id }) => identity(c, state, user_id)),
  );
}

type Query = Readonly<Record<string, string>>;

function authorizePage(c: Context, state: InstagramState): Response | Promise<Response> {
  const query = c.req.query();
  const account = findAccount(state, query['as'] ?? 'demo');
  const problem = authorizeProblem(query);
  if (problem !== null || !account) {
    return c.html(consentErrorHtml("Sorry, this page isn't available.", problem ?? 'Unknown account'), 400);
  }
  const callback = new URL(query['redirect_uri'] ?? '');
  callback.searchParams.set('state', query['state'] ?? '');
  if (query['auto'] === 'deny') {
    callback.searchParams.set('error', 'access_denied');
    callback.searchParams.set('error_reason', 'user_denied');
    callback.searchParams.set('error_description', 'The user denied your request');
    return c.redirect(callback.href);
  }
  if (query['auto'] === 'allow') {
    callback.searchParams.set('code', issueCode(state, account, query));
    callback.hash = '_';
    return c.redirect(callback.href);
  }
  const choice = (auto: string) => `?${new URLSearchParams({ ...query, auto }).toString()}`;
  return c.html(
    consentHtml({
      title: 'Authorize app',
      question: `${APP.client_id} wants to access the Instagram account @${account.username}`,
      scopes: scopesOf(query),
      allow: ['Allow', choice('allow')],
      deny: ['Deny', choice('deny')],
    }),
  );
}

const scopesOf = ({ scope = '' }: Query) => scope.split(',').filter(Boolean);

function authorizeProblem(query: Query): string | null {
  const scopes = scopesOf(query);
  const checks: [boolean, string][] = [
    [query['client_id'] === APP.client_id, 'Invalid platform app'],
    [query['response_type'] === 'code', 'Invalid response type'],
    [URL.canParse(query['redirect_uri'] ?? ''), 'Invalid redirect_uri'],
    [(query['state'] ?? '') !== '', 'The parameter state is missing'],
    [scopes.length > 0 && scopes.every(scope => SCOPES.includes(scope)), 'Invalid scopes'],
  ];
  return checks.find(([holds]) => !holds)?.[1] ?? null;
}

function issueCode({ codes, host }: InstagramState, account: Account, query: Query): string {
  const declined = query['decline']?.split(',') ?? [];
  const code = randomToken('AQ');
  codes.set(code, {
    account,
    scopes: scopesOf(query).filter(scope => !declined.includes(scope)),
    redirectUri: query['redirect_uri'] ?? '',
    expiresAt: host.now() + HOUR_MS,
  });
  return code;
}

/** Mode `wrapped`: the documented answer, within `data`, with a comma list. Otherwise the observed one. */
async function exchange(c: Context, state: InstagramState): Promise<Response> {
  const { client_id, client_secret, grant_type, redirect_uri, code = '' } = await paramsOf(c);
  if (client_id !== APP.client_id) return oauthError('Invalid platform app');
  if (client_secret !== APP.client_secret) return oauthError('Error validating client secret.');
  if (grant_type !== 'authorization_code') return oauthError('Invalid grant type');
  const stored = state.codes.get(code);
  if (!stored || stored.expiresAt <= state.host.now()) {
    return oauthError('Matching code was not found or was already used');
  }
  if (stored.redirectUri !== redirect_uri) {
    return oauthError('Error validating verification code. Please make sure your redirect_uri is identical');
  }
  state.codes.delete(code);
  const { account, scopes } = stored;
  const token = issue(state, account.id, scopes, HOUR_MS);
  if (state.instagram.modes.get('wrapped') === true) {
    const data = { access_token: token, user_id: account.app_scoped_id, permissions: scopes.join(',') };
    return c.json({ data: [data] });
  }
  // The real answer has the id as a number beyond 2^53.
  const permissions = JSON.stringify(scopes);
  const body = `{"access_token":"${token}","user_id":${account.app_scoped_id},"permissions":${permissions}}`;
  return c.body(body, 200, { 'content-type': 'application/json' });
}

function issue(state: InstagramState, accountId: string, scopes: readonly string[], lifeMs: number): string {
  const token = randomToken('IGAA');
  const now = state.host.now();
  state.instagram.tokens.set(token, {
    kind: 'user',
    user_id: accountId,
    page_id: null,
    scopes: [...scopes],
    issued_at: now,
    expires_at: now + lifeMs,
    long_lived: lifeMs === LONG_LIFE_MS,
    error_subcode: null,
  });
  return token;
}

function extend(c: Context, state: InstagramState): Response {
  const { grant_type, client_secret, access_token } = c.req.query();
  if (grant_type !== 'ig_exchange_token') return invalidParameter('Unsupported grant type');
  if (client_secret !== APP.client_secret) {
    return graphError({ code: 1, message: 'Error validating client secret.' });
  }
  const caller = authenticate(state.instagram, access_token);
  if (caller.long_lived) return invalidParameter('The token is long-lived already');
  return answer(c, issue(state, caller.user_id, caller.scopes, LONG_LIFE_MS));
}

/** The old token stays valid until its own end. */
function refresh(c: Context, state: InstagramState): Response {
  const { grant_type, access_token } = c.req.query();
  if (grant_type !== 'ig_refresh_token') return invalidParameter('Unsupported grant type');
  const caller = authenticate(state.instagram, access_token);
  const isYoung = state.host.now() - caller.issued_at < DAY_MS;
  if (!caller.long_lived || isYoung)
    return invalidParameter('The token must be long-lived and at least 24 hours old');
  if (!caller.scopes.includes('instagram_business_basic'))
    return invalidParameter('instagram_business_basic is missing');
  return answer(c, issue(state, caller.user_id, caller.scopes, LONG_LIFE_MS));
}

const answer = (c: Context, token: string) =>
  c.json({ access_token: token, token_type: 'bearer', expires_in: LONG_LIFE_MS / 1000 });

const FIELDS = [
  'id',
  'user_id',
  'username',
  'name',
  'account_type',
  'profile_picture_url',
  'followers_count',
  'media_count',
];

function identity(c: Context, state: InstagramState, accountId: string): Response {
  const account = state.accounts.get(accountId);
  if (!account) return graphError({ code: 190, message: 'Invalid OAuth access token' });
  const fields = (c.req.query('fields') ?? 'id').split(',');
  const unknown = fields.find(field => !FIELDS.includes(field));
  if (unknown !== undefined) return invalidParameter(`Tried accessing nonexisting field (${unknown})`);
  const all: Record<string, unknown> = {
    id: account.app_scoped_id,
    user_id: account.id,
    username: account.username,
    name: account.name,
    account_type: account.modes.personal === true ? 'PERSONAL' : account.account_type,
    profile_picture_url: `https://scontent.cdninstagram.com/v/${account.id}.jpg?oe=65F00000`,
    followers_count: 1200,
    media_count: state.media.values().length,
  };
  const body = Object.fromEntries(fields.map(field => [field, all[field]]));
  return c.json(state.instagram.modes.get('wrapped') === true ? { data: [body] } : body);
}
