import type { Context, Hono } from 'hono';
import { consentErrorHtml, consentHtml } from '../../kit/sandbox/consent-page.ts';
import { refuse } from './responses.ts';
import {
  APPS,
  findMember,
  secret,
  settingsOf,
  type App,
  type AuthorizationCode,
  type LinkedInState,
  type StoredToken,
} from './state.ts';

const CODE_LIFE_MS = 30 * 60_000;
const ACCESS_LIFE_S = 5_184_000;
const REFRESH_LIFE_S = 31_536_000;

/** Authorize page, token endpoint and revocation. */
export function addOAuth(app: Hono, state: LinkedInState): void {
  const root = '/www.linkedin.com/oauth/v2';
  app.get(`${root}/authorization`, c => authorizePage(c, state));
  app.post(`${root}/accessToken`, async c => {
    const form = await readForm(c);
    const client = requireClient(form);
    if (form['grant_type'] === 'authorization_code') return exchange(c, state, client, form);
    if (form['grant_type'] === 'refresh_token') return renew(c, state, client, form);
    return oauthError(400, 'unsupported_grant_type', 'The grant type is not supported');
  });
  app.post(`${root}/revoke`, async c => {
    const form = await readForm(c);
    requireClient(form);
    const token = form['token'] ?? '';
    for (const tokens of [state.access, state.refresh]) {
      const stored = tokens.get(token);
      if (stored) tokens.set(token, { ...stored, state: 'revoked' });
    }
    return c.body(null, 200);
  });
}

type Form = Record<string, string>;

function oauthError(status: 400 | 401, error: string, error_description: string): never {
  return refuse(status, { error, error_description });
}

async function readForm(c: Context): Promise<Form> {
  if (!/^application\/x-www-form-urlencoded\b/.test(c.req.header('content-type') ?? '')) {
    return oauthError(400, 'invalid_request', 'Content-Type must be application/x-www-form-urlencoded');
  }
  return Object.fromEntries(new URLSearchParams(await c.req.text()));
}

function requireClient({ client_id, client_secret }: Form): App {
  const app = APPS.find(each => each.client_id === client_id);
  if (app?.client_secret === client_secret) return app ?? oauthError(401, 'invalid_client', '');
  return oauthError(401, app ? 'invalid_client' : 'invalid_client_id', 'Client authentication failed');
}

function authorizePage(c: Context, state: LinkedInState): Response | Promise<Response> {
  const query = c.req.query();
  const app = APPS.find(({ client_id }) => client_id === query['client_id']);
  const member = findMember(state, query['as'] ?? 'demo');
  const problem = pageProblem(query);
  if (problem !== null || !app || !member) {
    return c.html(
      consentErrorHtml('Bummer, something went wrong.', problem ?? 'unknown client_id or member'),
      400,
    );
  }
  const callback = new URL(query['redirect_uri'] ?? '');
  callback.searchParams.set('state', query['state'] ?? '');
  const redirect = (parameters: Form) => {
    for (const [name, value] of Object.entries(parameters)) callback.searchParams.set(name, value);
    return c.redirect(callback.href);
  };
  const scopes = (query['scope'] ?? '').split(' ').filter(Boolean);
  const foreign = scopes.find(scope => !app.scopes.includes(scope));
  if (foreign !== undefined || scopes.length === 0) {
    const error_description = `Scope "${foreign ?? ''}" is not authorized for your application`;
    return redirect({ error: 'unauthorized_scope_error', error_description });
  }
  if (query['auto'] === 'deny') {
    return redirect({
      error: 'user_cancelled_authorize',
      error_description: 'The user cancelled the authorization',
    });
  }
  if (query['auto'] === 'allow') {
    const code = secret();
    const redirectUri = query['redirect_uri'] ?? '';
    state.codes.set(code, { member, app, scopes, redirectUri, expiresAt: state.host.now() + CODE_LIFE_MS });
    return redirect({ code });
  }
  const choice = (auto: string) => `?${new URLSearchParams({ ...query, auto }).toString()}`;
  return c.html(
    consentHtml({
      title: 'Sign in to LinkedIn',
      question: `${app.client_id} would like to act for ${member.first} ${member.last}`,
      scopes,
      allow: ['Allow', choice('allow')],
      deny: ['Cancel', choice('deny')],
    }),
  );
}

/** Why the request cannot be answered by a redirect; null if it can. */
function pageProblem(query: Form): string | null {
  const checks: [boolean, string][] = [
    [query['response_type'] === 'code', 'response_type must be code'],
    [URL.canParse(query['redirect_uri'] ?? '') && !query['redirect_uri']?.includes('#'), 'bad redirect_uri'],
    [(query['state'] ?? '') !== '', 'state is missing'],
    [query['code_challenge'] === undefined, 'PKCE is for native apps only'],
    [query['prompt'] !== 'none', 'prompt must not be none'],
  ];
  return checks.find(([holds]) => !holds)?.[1] ?? null;
}

function exchange(c: Context, state: LinkedInState, client: App, form: Form): Response {
  const code = state.codes.get(form['code'] ?? '');
  state.codes.delete(form['code'] ?? '');
  const { host } = state;
  if (!code || code.app !== client || code.expiresAt <= host.now()) {
    return oauthError(
      400,
      'invalid_request',
      'Unable to retrieve access token: authorization code not found',
    );
  }
  if (code.redirectUri !== form['redirect_uri']) {
    const text =
      'Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code';
    return oauthError(400, 'invalid_redirect_uri', text);
  }
  const withRefresh = client.kind === 'community' && settingsOf(state).refresh_tokens;
  const refreshToken = withRefresh ? secret() : null;
  if (refreshToken !== null) {
    state.refresh.set(refreshToken, tokenOf(code, client, host.now() + REFRESH_LIFE_S * 1000));
  }
  return answer(c, state, client, code, refreshToken);
}

/** The refresh token stays the same, and its life is not extended. */
function renew(c: Context, state: LinkedInState, client: App, form: Form): Response {
  const token = form['refresh_token'] ?? '';
  const stored = state.refresh.get(token);
  const member = stored && state.members.get(stored.member_id);
  const isValid = stored?.state === 'valid' && stored.expires_at > state.host.now();
  if (!member || !isValid || stored.client_id !== client.client_id) {
    return oauthError(
      400,
      'invalid_grant',
      'The provided authorization grant or refresh token is invalid, expired or revoked.',
    );
  }
  return answer(c, state, client, { member, scopes: stored.scopes }, token);
}

function tokenOf(
  { member, scopes }: Pick<AuthorizationCode, 'member' | 'scopes'>,
  { client_id }: App,
  expires_at: number,
): StoredToken {
  return { member_id: member.id, client_id, scopes: [...scopes], expires_at, state: 'valid' };
}

function answer(
  c: Context,
  state: LinkedInState,
  client: App,
  granted: Pick<AuthorizationCode, 'member' | 'scopes'>,
  refreshToken: string | null,
): Response {
  const now = state.host.now();
  const accessToken = secret();
  state.access.set(accessToken, tokenOf(granted, client, now + ACCESS_LIFE_S * 1000));
  const refreshEnd = refreshToken === null ? now : (state.refresh.get(refreshToken)?.expires_at ?? now);
  return c.json({
    access_token: accessToken,
    expires_in: ACCESS_LIFE_S,
    scope: granted.scopes.join(','),
    token_type: 'Bearer',
    ...(granted.scopes.includes('openid') ? { id_token: 'eyJ.sandbox.token' } : {}),
    ...(refreshToken === null
      ? {}
      : {
          refresh_token: refreshToken,
          refresh_token_expires_in: Math.floor((refreshEnd - now) / 1000),
        }),
  });
}
