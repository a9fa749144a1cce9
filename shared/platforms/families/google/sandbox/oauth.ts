import { createHash } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { consentErrorHtml, consentHtml } from '../../../kit/sandbox/consent-page.ts';
import { endTokens } from '../../../kit/sandbox/tokens.ts';
import {
  openTokens,
  secret,
  type AuthorizationCode,
  type GoogleOAuthOptions,
  type GoogleTokens,
} from './tokens.ts';

const CODE_LIFE_MS = 10 * 60_000;
const ACCESS_LIFE_S = 3599;
const TESTING_LIFE_S = 604_799;
const MAX_REFRESH_TOKENS = 100;
const ENDED = 'Token has been expired or revoked.';

type Form = Record<string, string>;

/** Consent page, token endpoint and revocation of accounts.google.com and oauth2.googleapis.com. */
export function addGoogleOAuth(app: Hono, options: GoogleOAuthOptions): GoogleTokens {
  const tokens = openTokens(options);
  app.get('/accounts.google.com/o/oauth2/v2/auth', c => consentPage(c, tokens));
  app.post('/oauth2.googleapis.com/token', async c => {
    const form = await readForm(c);
    const refusal = clientError(c, tokens, form);
    if (refusal) return refusal;
    if (form['grant_type'] === 'authorization_code') return exchange(c, tokens, form);
    if (form['grant_type'] === 'refresh_token') return refresh(c, tokens, form);
    return oauthError(c, 400, 'unsupported_grant_type', `Invalid grant_type: ${form['grant_type'] ?? ''}`);
  });
  app.post('/oauth2.googleapis.com/revoke', async c => revoke(c, tokens, await readForm(c)));
  return tokens;
}

function oauthError(c: Context, status: 400 | 401, error: string, description: string): Response {
  return c.json({ error, error_description: description }, status);
}

async function readForm(c: Context): Promise<Form> {
  const isForm = /^application\/x-www-form-urlencoded\b/.test(c.req.header('content-type') ?? '');
  return isForm ? Object.fromEntries(new URLSearchParams(await c.req.text())) : {};
}

function clientError(c: Context, { options }: GoogleTokens, form: Form): Response | null {
  if (form['client_id'] !== options.client.client_id) {
    return oauthError(c, 401, 'invalid_client', 'The OAuth client was not found.');
  }
  if (form['client_secret'] !== options.client.client_secret) {
    return oauthError(c, 401, 'invalid_client', 'Unauthorized');
  }
  return null;
}

/** `auto` answers in the place of the user, `as` chooses the account, `without` unticks scopes by their last segments. */
function consentPage(c: Context, tokens: GoogleTokens): Response | Promise<Response> {
  const query = c.req.query();
  const error = requestError(tokens.options, query);
  const account = tokens.options.findAccount(query['as']);
  if (error !== null || !account) {
    return c.html(consentErrorHtml('Access blocked: authorization error', error ?? 'Unknown account'), 400);
  }
  const callback = new URL(query['redirect_uri'] ?? '');
  callback.searchParams.set('state', query['state'] ?? '');
  if (query['auto'] === 'deny') {
    callback.searchParams.set('error', 'access_denied');
    return c.redirect(callback.href);
  }
  const unticked = (query['without'] ?? '').split(',');
  const scopes = (query['scope'] ?? '').split(' ').filter(scope => !unticked.includes(lastSegment(scope)));
  if (query['auto'] === 'allow') {
    callback.searchParams.set('code', issueCode(tokens, account.id, scopes, query));
    callback.searchParams.set('scope', scopes.join(' '));
    return c.redirect(callback.href);
  }
  const choice = (auto: string) => `?${new URLSearchParams({ ...query, auto }).toString()}`;
  return c.html(
    consentHtml({
      title: 'Sign in with Google',
      question: `${tokens.options.client.client_id} wants access to ${account.name}`,
      scopes,
      allow: ['Continue', choice('allow')],
      deny: ['Cancel', choice('deny')],
    }),
  );
}

const lastSegment = (scope: string) => scope.split('/').at(-1) ?? scope;

/** Why the request cannot be answered by a redirect; null if it can. */
function requestError({ client, scopes: known }: GoogleOAuthOptions, query: Form): string | null {
  const scopes = query['scope']?.split(' ') ?? [];
  const checks: [boolean, string][] = [
    [query['client_id'] === client.client_id, 'invalid_client'],
    [isRegistered(query['redirect_uri'] ?? ''), 'redirect_uri_mismatch'],
    [query['response_type'] === 'code', 'invalid_request: response_type'],
    [scopes.length > 0 && scopes.every(scope => known.includes(scope)), 'invalid_scope'],
    [(query['state'] ?? '') !== '', 'invalid_request: state'],
    [isChallenge(query), 'invalid_request: code_challenge'],
  ];
  return checks.find(([holds]) => !holds)?.[1] ?? null;
}

/** Redirect URIs need https, except on the user's own machine. */
function isRegistered(uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname, hash } = new URL(uri);
  return hash === '' && (protocol === 'https:' || ['localhost', '127.0.0.1'].includes(hostname));
}

function isChallenge(query: Form): boolean {
  if (query['code_challenge'] === undefined) return query['code_challenge_method'] === undefined;
  return query['code_challenge_method'] === 'S256' && /^[\w-]{43}$/.test(query['code_challenge']);
}

/** A refresh token comes with offline access only, and after the first grant with `prompt=consent` only. */
function issueCode(tokens: GoogleTokens, accountId: string, scopes: string[], query: Form): string {
  const { codes, refresh, options } = tokens;
  const isFirst = !refresh.values().some(({ account_id }) => account_id === accountId);
  const consents = (query['prompt'] ?? '').split(' ').includes('consent');
  const code = secret('4/0A');
  codes.set(code, {
    account_id: accountId,
    scopes,
    redirect_uri: query['redirect_uri'] ?? '',
    challenge: query['code_challenge'] ?? '',
    offline: query['access_type'] === 'offline' && (consents || isFirst),
    expires_at: options.host.now() + CODE_LIFE_MS,
  });
  return code;
}

function exchange(c: Context, tokens: GoogleTokens, form: Form): Response {
  const text = form['code'] ?? '';
  const code = tokens.codes.get(text);
  tokens.codes.delete(text);
  if (!text.startsWith('4/')) return oauthError(c, 400, 'invalid_grant', 'Malformed auth code.');
  if (!code || code.expires_at <= tokens.options.host.now() || !isVerified(code, form)) {
    return oauthError(c, 400, 'invalid_grant', 'Bad Request');
  }
  if (code.redirect_uri !== form['redirect_uri']) {
    return oauthError(c, 400, 'redirect_uri_mismatch', 'Bad Request');
  }
  const { account_id, scopes, offline } = code;
  return c.json({
    ...accessToken(tokens, account_id, scopes),
    ...(offline ? refreshToken(tokens, account_id, scopes) : {}),
  });
}

function isVerified({ challenge }: AuthorizationCode, form: Form): boolean {
  if (challenge === '') return true;
  return (
    createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url') === challenge
  );
}

/** The refresh token stays valid; the response has no other one. */
function refresh(c: Context, tokens: GoogleTokens, form: Form): Response {
  const stored = tokens.refresh.get(form['refresh_token'] ?? '');
  if (!stored || (stored.expires_at ?? Infinity) <= tokens.options.host.now()) {
    return oauthError(c, 400, 'invalid_grant', ENDED);
  }
  return c.json(accessToken(tokens, stored.account_id, stored.scopes));
}

function accessToken({ access, options }: GoogleTokens, account_id: string, scopes: string[]) {
  const token = secret('ya29.a0');
  access.set(token, { account_id, scopes, expires_at: options.host.now() + ACCESS_LIFE_S * 1000 });
  return { access_token: token, expires_in: ACCESS_LIFE_S, scope: scopes.join(' '), token_type: 'Bearer' };
}

/** Beyond 100 refresh tokens of an account, the oldest ends without a word. */
function refreshToken({ refresh, options }: GoogleTokens, account_id: string, scopes: string[]) {
  const live = refresh.entries().filter(([, token]) => token.account_id === account_id);
  const [oldest] = live;
  if (live.length >= MAX_REFRESH_TOKENS && oldest) refresh.delete(oldest[0]);
  const token = secret('1//0g');
  const testing = options.isTesting(account_id);
  const expires_at = testing ? options.host.now() + TESTING_LIFE_S * 1000 : null;
  refresh.set(token, { account_id, scopes, expires_at });
  return {
    refresh_token: token,
    ...(testing ? { refresh_token_expires_in: TESTING_LIFE_S } : {}),
  };
}

/** Removes all that the user granted to the app. */
function revoke(c: Context, tokens: GoogleTokens, form: Form): Response {
  const token = form['token'] ?? '';
  const stored = tokens.refresh.get(token) ?? tokens.access.get(token);
  if (!stored) return oauthError(c, 400, 'invalid_token', 'Token expired or revoked');
  endTokens(tokens, 'revoke', stored.account_id);
  return c.json({});
}
