import type { Context, Hono } from 'hono';
import { consentErrorHtml, consentHtml } from '../../kit/sandbox/consent-page.ts';
import { HOUR, MINUTE, SECOND } from '../../../time/instant.ts';
import { APP, findAccount, secret, type SnapchatState, type StoredToken } from './state.ts';

export const ACCOUNTS_HOST = 'accounts.snapchat.com';
const ROOT = `/${ACCOUNTS_HOST}/login/oauth2`;
const SCOPES = ['snapchat-profile-api', 'snapchat-marketing-api'];
const CODE_LIFE_MS = 10 * MINUTE;
const ACCESS_LIFE_MS = HOUR;
/** The refresh token has no stated end. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** The consent page and the token endpoint. */
export function addOAuth(app: Hono, state: SnapchatState): void {
  app.get(`${ROOT}/authorize`, c => consent(c, state));
  app.post(`${ROOT}/access_token`, async c => {
    const isForm = (c.req.header('content-type') ?? '').startsWith('application/x-www-form-urlencoded');
    if (!isForm) return oauthError(c, 400, 'invalid_request', 'The body must be a form');
    const form = Object.fromEntries(new URLSearchParams(await c.req.text()));
    if (form['client_id'] !== APP.client_id || form['client_secret'] !== APP.client_secret) {
      return oauthError(c, 401, 'invalid_client', 'Client authentication failed');
    }
    if (form['grant_type'] === 'authorization_code') return exchange(c, state, form);
    if (form['grant_type'] === 'refresh_token') return refresh(c, state, form);
    return oauthError(c, 400, 'unsupported_grant_type', 'The grant type is not supported');
  });
}

type Form = Readonly<Record<string, string>>;

const oauthError = (c: Context, status: 400 | 401, error: string, error_description: string) =>
  c.json({ error, error_description }, status);

/** https only, except on this machine. */
function isRedirect(uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname } = new URL(uri);
  return protocol === 'https:' || ['localhost', '127.0.0.1'].includes(hostname);
}

function consent(c: Context, state: SnapchatState): Response | Promise<Response> {
  const query = c.req.query();
  const { scope = '', redirect_uri = '' } = query;
  const account = findAccount(state, query['as'] ?? 'demo');
  const isValid =
    query['client_id'] === APP.client_id &&
    query['response_type'] === 'code' &&
    isRedirect(redirect_uri) &&
    scope.split(' ').every(each => SCOPES.includes(each));
  if (!isValid || !account) return c.html(consentErrorHtml('Something went wrong'), 400);
  const callback = new URL(redirect_uri);
  callback.searchParams.set('state', query['state'] ?? '');
  if (query['auto'] === 'deny') {
    callback.searchParams.set('error', 'access_denied');
    callback.searchParams.set('error_description', 'The user denied the request');
    return c.redirect(callback.href);
  }
  if (query['auto'] === 'allow') {
    const code = secret('');
    const expires_at = state.host.now() + CODE_LIFE_MS;
    state.codes.set(code, { account_id: account.id, scope, redirect_uri, expires_at });
    callback.searchParams.set('code', code);
    return c.redirect(callback.href);
  }
  const choice = (auto: string) => `?${new URLSearchParams({ ...query, auto }).toString()}`;
  return c.html(
    consentHtml({
      title: 'Log in with Snapchat',
      question: `An app wants to act for the Snapchat account ${account.username}`,
      scopes: [scope],
      allow: ['Allow', choice('allow')],
      deny: ['Cancel', choice('deny')],
    }),
  );
}

function exchange(c: Context, state: SnapchatState, form: Form): Response {
  const code = state.codes.get(form['code'] ?? '');
  state.codes.delete(form['code'] ?? '');
  const isValid = code && code.expires_at > state.host.now() && code.redirect_uri === form['redirect_uri'];
  if (!isValid) return oauthError(c, 400, 'invalid_grant', 'The authorization code is invalid or expired');
  return issue(c, state, code, null);
}

function refresh(c: Context, state: SnapchatState, form: Form): Response {
  const token = form['refresh_token'] ?? '';
  const stored = state.refresh.get(token);
  if (!stored) return oauthError(c, 400, 'invalid_grant', 'The refresh token is invalid or was revoked');
  const isRotated = state.accounts.get(stored.account_id)?.rotates === true;
  if (isRotated) state.refresh.delete(token);
  return issue(c, state, stored, isRotated ? null : token);
}

function issue(
  c: Context,
  { host, access, refresh: refreshTokens }: SnapchatState,
  { account_id, scope }: Pick<StoredToken, 'account_id' | 'scope'>,
  kept: string | null,
): Response {
  const [access_token, refresh_token] = [secret('eyJpc3Mi'), kept ?? secret('eyJraWQi')];
  access.set(access_token, { account_id, scope, expires_at: host.now() + ACCESS_LIFE_MS });
  refreshTokens.set(refresh_token, { account_id, scope, expires_at: NEVER });
  const expires_in = ACCESS_LIFE_MS / SECOND;
  return c.json({ access_token, token_type: 'Bearer', expires_in, refresh_token, scope });
}
