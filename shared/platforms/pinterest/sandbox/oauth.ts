import type { Context, Hono } from 'hono';
import { consentErrorHtml, consentHtml } from '../../kit/sandbox/consent-page.ts';
import { DAY, MINUTE, SECOND } from '../../../time/instant.ts';
import { authenticationFailed, invalid, worldOf } from './access.ts';
import { APP, findAccount, secret, type PinterestState, type StoredToken } from './state.ts';

export const CONSENT_HOST = 'www.pinterest.com';
const SCOPES = [
  'boards:read',
  'boards:read_secret',
  'boards:write',
  'pins:read',
  'pins:read_secret',
  'pins:write',
  'pins:write_secret',
  'user_accounts:read',
];
const CODE_LIFE_MS = 5 * MINUTE;
const ACCESS_LIFE_MS = 30 * DAY;
const REFRESH_LIFE_MS = 60 * DAY;

type Form = Readonly<Record<string, string>>;

/** The consent page. */
export function addConsent(app: Hono, state: PinterestState): void {
  app.get(`/${CONSENT_HOST}/oauth/`, c => consentPage(c, state));
}

/** The token endpoint. */
export function addOAuth(api: Hono, state: PinterestState): void {
  api.post('/v5/oauth/token', async c => {
    const basic = `Basic ${Buffer.from(`${APP.client_id}:${APP.client_secret}`).toString('base64')}`;
    if (c.req.header('authorization') !== basic) return authenticationFailed();
    const isForm = (c.req.header('content-type') ?? '').startsWith('application/x-www-form-urlencoded');
    if (!isForm) return invalid('Invalid request body');
    const form = Object.fromEntries(new URLSearchParams(await c.req.text()));
    if (form['grant_type'] === 'authorization_code') return exchange(c, state, form);
    if (form['grant_type'] === 'refresh_token') return refresh(c, state, form);
    return invalid("'grant_type': is not supported");
  });
}

function consentPage(c: Context, state: PinterestState): Response | Promise<Response> {
  const query = c.req.query();
  const scopes = (query['scope'] ?? '').split(',');
  const redirect = query['redirect_uri'] ?? '';
  const account = findAccount(state, query['as'] ?? 'demo');
  const isValid =
    query['client_id'] === APP.client_id &&
    query['response_type'] === 'code' &&
    URL.canParse(redirect) &&
    scopes.every(scope => SCOPES.includes(scope));
  if (!isValid || !account) return c.html(consentErrorHtml('Oops, something went wrong'), 400);
  const callback = new URL(redirect);
  callback.searchParams.set('state', query['state'] ?? '');
  if (query['auto'] === 'deny') {
    callback.searchParams.set('error', 'access_denied');
    return c.redirect(callback.href);
  }
  if (query['auto'] === 'allow') {
    const code = secret('');
    const expires_at = state.host.now() + CODE_LIFE_MS;
    state.codes.set(code, { account_id: account.id, scopes, redirect_uri: redirect, expires_at });
    callback.searchParams.set('code', code);
    return c.redirect(callback.href);
  }
  const choice = (auto: string) => `?${new URLSearchParams({ ...query, auto }).toString()}`;
  return c.html(
    consentHtml({
      title: 'Give access to your account',
      question: `${APP.client_id} wants to access the Pinterest account ${account.username}`,
      scopes,
      allow: ['Give access', choice('allow')],
      deny: ['Cancel', choice('deny')],
    }),
  );
}

function exchange(c: Context, state: PinterestState, form: Form): Response {
  const code = state.codes.get(form['code'] ?? '');
  state.codes.delete(form['code'] ?? '');
  const isValid = code && code.expires_at > state.host.now() && code.redirect_uri === form['redirect_uri'];
  if (!isValid) return authenticationFailed();
  if (form['continuous_refresh'] !== 'true') return invalid("'continuous_refresh': must be true");
  return issue(c, state, { account_id: code.account_id, scopes: code.scopes }, 'authorization_code');
}

/** The old refresh token lives until its own end, unless the account is set to rotate. */
function refresh(c: Context, state: PinterestState, form: Form): Response {
  const token = form['refresh_token'] ?? '';
  const stored = state.refresh.get(token);
  const isValid = stored && stored.expires_at > state.host.now() && stored.world === worldOf(c);
  if (!isValid) return authenticationFailed();
  if (state.accounts.get(stored.account_id)?.rotates === true) state.refresh.delete(token);
  return issue(c, state, stored, 'refresh_token');
}

function issue(
  c: Context,
  state: PinterestState,
  { account_id, scopes }: Pick<StoredToken, 'account_id' | 'scopes'>,
  response_type: string,
): Response {
  const [access_token, refresh_token] = [secret('pina_'), secret('pinr_')];
  const now = state.host.now();
  const token = { account_id, scopes, world: worldOf(c) };
  state.access.set(access_token, { ...token, expires_at: now + ACCESS_LIFE_MS });
  state.refresh.set(refresh_token, { ...token, expires_at: now + REFRESH_LIFE_MS });
  return c.json({
    response_type,
    access_token,
    refresh_token,
    token_type: 'bearer',
    expires_in: ACCESS_LIFE_MS / SECOND,
    refresh_token_expires_in: REFRESH_LIFE_MS / SECOND,
    refresh_token_expires_at: Math.floor((now + REFRESH_LIFE_MS) / SECOND),
    scope: scopes.join(' '),
  });
}
