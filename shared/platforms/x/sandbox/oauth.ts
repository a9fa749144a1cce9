import { createHash } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { consentErrorHtml, consentHtml } from '../../kit/sandbox/consent-page.ts';
import { refuse } from './responses.ts';
import { APP, findAccount, secret, type AuthorizationCode, type StoredToken, type XState } from './state.ts';

const SCOPES = ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access'];
const CODE_LIFE_MS = 30_000;
const ACCESS_LIFE_S = 7200;
const MAX_STATE = 500;

/** Authorize page, token endpoint with rotation, and revocation. */
export function addOAuth(app: Hono, state: XState): void {
  app.get('/x.com/i/oauth2/authorize', c => authorizePage(c, state));
  app.post('/api.x.com/2/oauth2/token', async c => {
    const form = await clientForm(c);
    if (form['grant_type'] === 'authorization_code') return exchange(c, state, form);
    if (form['grant_type'] === 'refresh_token') return refresh(c, state, form);
    return oauthError(400, 'unsupported_grant_type', 'Value passed for the grant_type was invalid.');
  });
  app.post('/api.x.com/2/oauth2/revoke', async c => {
    const form = await clientForm(c);
    state.access.delete(form['token'] ?? '');
    state.refresh.delete(form['token'] ?? '');
    return c.json({ revoked: true });
  });
}

type Form = Record<string, string>;

function oauthError(status: 400 | 401 | 415, error: string, description: string): never {
  return refuse(status, { error, error_description: description });
}

/** Reads the form of a confidential client after checking its credentials. */
async function clientForm(c: Context): Promise<Form> {
  const basic = `Basic ${Buffer.from(`${APP.client_id}:${APP.client_secret}`).toString('base64')}`;
  if (c.req.header('authorization') !== basic) {
    return oauthError(401, 'unauthorized_client', 'Missing valid authorization header');
  }
  if (!/^application\/x-www-form-urlencoded\b/.test(c.req.header('content-type') ?? '')) {
    return oauthError(415, 'invalid_request', 'Content-Type must be application/x-www-form-urlencoded.');
  }
  return Object.fromEntries(new URLSearchParams(await c.req.text()));
}

function authorizePage(c: Context, state: XState): Response | Promise<Response> {
  const query = c.req.query();
  const error = authorizeError(query);
  const account = findAccount(state, query['as'] ?? 'demo');
  if (error !== null || !account) return c.html(consentErrorHtml('Something went wrong', error), 400);

  const callback = new URL(query['redirect_uri'] ?? '');
  callback.searchParams.set('state', query['state'] ?? '');
  if (query['auto'] === 'deny') {
    callback.searchParams.set('error', 'access_denied');
    return c.redirect(callback.href);
  }
  const scopes = (query['scope'] ?? '').split(' ');
  if (query['auto'] === 'allow') {
    callback.searchParams.set('code', issueCode(state, { account, scopes, query }));
    return c.redirect(callback.href);
  }
  const choice = (auto: string) => `?${new URLSearchParams({ ...query, auto }).toString()}`;
  return c.html(
    consentHtml({
      title: 'Authorize app',
      question: `${APP.client_id} wants to access the X account @${account.username}`,
      scopes,
      allow: ['Allow', choice('allow')],
      deny: ['Deny', choice('deny')],
    }),
  );
}

/** Why the request cannot be answered by a redirect; null if it can. */
function authorizeError(query: Form): string | null {
  const scopes = query['scope']?.split(' ') ?? [];
  const length = query['state']?.length ?? 0;
  const checks: [boolean, string][] = [
    [query['response_type'] === 'code', 'response_type must be code'],
    [query['client_id'] === APP.client_id, 'unknown client_id'],
    [URL.canParse(query['redirect_uri'] ?? '') && !query['redirect_uri']?.includes('#'), 'bad redirect_uri'],
    [length > 0 && length <= MAX_STATE, 'state is missing or too long'],
    [query['code_challenge_method'] === 'S256', 'code_challenge_method must be S256'],
    [/^[\w-]{43}$/.test(query['code_challenge'] ?? ''), 'bad code_challenge'],
    [scopes.length > 0 && scopes.every(scope => SCOPES.includes(scope)), 'unknown scope'],
  ];
  return checks.find(([holds]) => !holds)?.[1] ?? null;
}

function issueCode(
  state: XState,
  { account, scopes, query }: Pick<AuthorizationCode, 'account' | 'scopes'> & { query: Form },
): string {
  const code = secret();
  state.codes.set(code, {
    account,
    scopes,
    redirectUri: query['redirect_uri'] ?? '',
    challenge: query['code_challenge'] ?? '',
    expiresAt: state.host.now() + CODE_LIFE_MS,
  });
  return code;
}

function exchange(c: Context, state: XState, form: Form): Response {
  const code = state.codes.get(form['code'] ?? '');
  state.codes.delete(form['code'] ?? '');
  if (!code || code.expiresAt <= state.host.now()) {
    return oauthError(400, 'invalid_request', 'Value passed for the authorization code was invalid.');
  }
  if (code.redirectUri !== form['redirect_uri']) {
    return oauthError(
      400,
      'invalid_request',
      'Value passed for the redirect uri did not match the uri of the authorization code.',
    );
  }
  const verifier = form['code_verifier'] ?? '';
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  if (!/^[\w.~-]{43,128}$/.test(verifier) || challenge !== code.challenge) {
    return oauthError(
      400,
      'invalid_request',
      'Value passed for the code verifier did not match the code challenge.',
    );
  }
  return issueTokens(c, state, code);
}

/** The old refresh token is invalid at once. */
function refresh(c: Context, state: XState, form: Form): Response {
  const token = form['refresh_token'] ?? '';
  const stored = state.refresh.get(token);
  const account = stored && state.accounts.get(stored.account_id);
  if (!account) return oauthError(400, 'invalid_request', 'Value passed for the token was invalid.');
  state.refresh.delete(token);
  return issueTokens(c, state, { account, scopes: stored.scopes });
}

function issueTokens(
  c: Context,
  state: XState,
  { account, scopes }: Pick<AuthorizationCode, 'account' | 'scopes'>,
): Response {
  const [accessToken, refreshToken] = [secret(), secret()];
  const token: StoredToken = { account_id: account.id, scopes: [...scopes], expires_at: null };
  state.access.set(accessToken, { ...token, expires_at: state.host.now() + ACCESS_LIFE_S * 1000 });
  const offline = scopes.includes('offline.access');
  if (offline) state.refresh.set(refreshToken, token);
  return c.json({
    token_type: 'bearer',
    expires_in: ACCESS_LIFE_S,
    access_token: accessToken,
    scope: scopes.join(' '),
    ...(offline ? { refresh_token: refreshToken } : {}),
  });
}
