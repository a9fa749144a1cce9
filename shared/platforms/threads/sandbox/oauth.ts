import type { Context, Hono } from 'hono';
import { consentErrorHtml, consentHtml } from '../../kit/sandbox/consent-page.ts';
import { HOUR, DAY, SECOND } from '../../../time/instant.ts';
import { authorize, livingToken, readParams, type Params } from './access.ts';
import { graphError, oauthError } from '../../families/meta/sandbox/responses.ts';
import { randomToken } from '../../families/meta/sandbox/state.ts';
import { APP, findAccount, type StoredToken, type ThreadsState } from './state.ts';

const SCOPES = [
  'threads_basic',
  'threads_content_publish',
  'threads_delete',
  'threads_location_tagging',
  'threads_manage_insights',
  'threads_manage_replies',
];
const CODE_LIFE_MS = HOUR;
const SHORT_LIFE_MS = HOUR;
const LONG_LIFE_MS = 60 * DAY;
/** The lifetime in a response is a little shorter than 60 days. */
const ANSWER_DELAY_S = 16;
const MIN_REFRESH_AGE_MS = DAY;
/** An odd number above 2^53, in which the app-scoped id of `/me` is not contained. */
const USER_ID = '17841405793187219';

/** The login page. */
export function addLogin(app: Hono, state: ThreadsState): void {
  app.get('/oauth/authorize', c => loginPage(c, state));
}

/** The token endpoints, which have no version. */
export function addOAuth(api: Hono, state: ThreadsState): void {
  api.post('/oauth/access_token', async c => exchangeCode(c, state, await readParams(c, state)));
  api.get('/oauth/access_token', c => appToken(c));
  api.get('/access_token', async c => exchangeToken(c, state, await readParams(c, state)));
  api.get('/refresh_access_token', async c => refreshToken(c, state, await readParams(c, state)));
  api.get('/v1.0/debug_token', async c => debugToken(c, state, await readParams(c, state)));
}

function loginPage(c: Context, state: ThreadsState): Response | Promise<Response> {
  const query = c.req.query();
  const error = loginError(query);
  const account = findAccount(state, query['as'] ?? 'demo');
  if (error !== null || !account) {
    return c.html(consentErrorHtml('Sorry, something went wrong', error), 400);
  }
  const callback = new URL(query['redirect_uri'] ?? '');
  callback.searchParams.set('state', query['state'] ?? '');
  if (query['auto'] === 'deny') {
    callback.searchParams.set('error', 'access_denied');
    callback.searchParams.set('error_reason', 'user_denied');
    callback.searchParams.set('error_description', 'The user denied your request.');
    return c.redirect(callback.href);
  }
  const scopes = (query['scope'] ?? '').split(',');
  if (query['auto'] === 'allow') {
    const code = randomToken('AQ');
    state.codes.set(code, {
      account_id: account.id,
      scopes,
      redirect_uri: query['redirect_uri'] ?? '',
      expires_at: state.host.now() + CODE_LIFE_MS,
    });
    callback.searchParams.set('code', code);
    return c.redirect(`${callback.href}#_`);
  }
  const choice = (auto: string) => `?${new URLSearchParams({ ...query, auto }).toString()}`;
  return c.html(
    consentHtml({
      title: 'Log in with Threads',
      question: `${APP.client_id} wants to access the Threads profile @${account.username}`,
      scopes,
      allow: ['Continue', choice('allow')],
      deny: ['Cancel', choice('deny')],
    }),
  );
}

/** Why the login page cannot answer by a redirect; null if it can. */
function loginError(query: Params): string | null {
  const scopes = query['scope']?.split(',') ?? [];
  const redirect = query['redirect_uri'] ?? '';
  const checks: [boolean, string][] = [
    [query['client_id'] === APP.client_id, 'Invalid app id. Error code: 4476002'],
    [query['response_type'] === 'code', 'response_type must be code'],
    [URL.canParse(redirect) && !redirect.includes('#'), 'Blocked redirect: the URI is not allowed'],
    [scopes.includes('threads_basic'), 'threads_basic is required'],
    [scopes.every(scope => SCOPES.includes(scope)), 'Invalid scope'],
  ];
  return checks.find(([holds]) => !holds)?.[1] ?? null;
}

function exchangeCode(c: Context, state: ThreadsState, form: Params): Response {
  assertApp(form);
  if (form['grant_type'] !== 'authorization_code') return oauthError('Invalid grant_type');
  const code = state.codes.get(form['code'] ?? '');
  state.codes.delete(form['code'] ?? '');
  if (!code || code.expires_at <= state.host.now()) {
    return oauthError('Matching code was not found or was already used');
  }
  if (code.redirect_uri !== form['redirect_uri']) {
    return oauthError('Error validating verification code. Please make sure your redirect_uri is identical');
  }
  const token = issue(state, { account_id: code.account_id, scopes: [...code.scopes], kind: 'short' });
  const body = `{"access_token":"${token}","user_id":${USER_ID}}`;
  return c.body(body, 200, { 'content-type': 'application/json' });
}

function assertApp(params: Params): void {
  if (params['client_id'] !== APP.client_id) oauthError('Invalid client_id');
  if (params['client_secret'] !== APP.client_secret) oauthError('Error validating client secret.');
}

function appToken(c: Context): Response {
  const query = c.req.query();
  assertApp(query);
  if (query['grant_type'] !== 'client_credentials') return oauthError('Invalid grant_type');
  return c.json({ access_token: `TH|${APP.client_id}|${APP.client_secret}`, token_type: 'bearer' });
}

/** Exchanges a short-lived token for a long-lived one. */
function exchangeToken(c: Context, state: ThreadsState, params: Params): Response {
  if (params['client_secret'] !== APP.client_secret) {
    return graphError({ code: 1, message: 'Error validating client secret.' });
  }
  if (params['grant_type'] !== 'th_exchange_token') return badGrantType();
  assertTokenParameter(c);
  const { stored } = authorize(c, state, params, ['threads_basic']);
  if (stored.kind !== 'short') {
    return graphError({ code: 100, message: 'The access token is already long-lived' });
  }
  return longToken(c, state, stored);
}

/** The result is another token; the old one lives on until it expires. */
function refreshToken(c: Context, state: ThreadsState, params: Params): Response {
  if (params['grant_type'] !== 'th_refresh_token') return badGrantType();
  assertTokenParameter(c);
  const { stored } = authorize(c, state, params, ['threads_basic']);
  const age = state.host.now() - stored.issued_at;
  if (stored.kind !== 'long' || age < MIN_REFRESH_AGE_MS) {
    return graphError({ code: 100, message: 'The access token cannot be refreshed yet' });
  }
  return longToken(c, state, stored);
}

/** The token endpoints are documented with the token as a parameter, not in a header. */
function assertTokenParameter(c: Context): void {
  if (c.req.query('access_token') === undefined) {
    graphError({ code: 100, message: 'The parameter access_token is required' });
  }
}

const badGrantType = () => graphError({ code: 100, message: 'Invalid parameter: grant_type' });

function longToken(c: Context, state: ThreadsState, { account_id, scopes }: StoredToken): Response {
  const access_token = issue(state, { account_id, scopes, kind: 'long' });
  return c.json({
    access_token,
    token_type: 'bearer',
    expires_in: LONG_LIFE_MS / SECOND - ANSWER_DELAY_S,
  });
}

function issue(state: ThreadsState, grant: Pick<StoredToken, 'account_id' | 'scopes' | 'kind'>): string {
  const token = randomToken('THAA');
  const issued_at = state.host.now();
  const life = grant.kind === 'short' ? SHORT_LIFE_MS : LONG_LIFE_MS;
  state.tokens.set(token, { ...grant, issued_at, expires_at: issued_at + life, revoked: false });
  return token;
}

function debugToken(c: Context, state: ThreadsState, params: Params): Response {
  authorize(c, state, params, []);
  const { scopes, issued_at, expires_at, account_id } = livingToken(state, params['input_token'] ?? '');
  return c.json({
    data: {
      type: 'USER',
      application: 'Sandbox',
      is_valid: true,
      issued_at: Math.floor(issued_at / SECOND),
      expires_at: Math.floor(expires_at / SECOND),
      scopes,
      user_id: account_id,
    },
  });
}
