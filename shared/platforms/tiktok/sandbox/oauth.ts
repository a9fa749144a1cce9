import { createHash } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { consentErrorHtml, consentHtml } from '../../kit/sandbox/consent-page.ts';
import { MINUTE, SECOND } from '../../../time/instant.ts';
import { LOOPBACK } from './settings.ts';
import {
  APP,
  findAccount,
  secret,
  settingsOf,
  type AuthorizationCode,
  type StoredToken,
  type TikTokState,
} from './state.ts';

export const CONSENT_HOST = 'www.tiktok.com';
const SCOPES = [
  'user.info.basic',
  'user.info.profile',
  'user.info.stats',
  'video.publish',
  'video.upload',
  'video.list',
];
const CODE_LIFE_MS = 10 * MINUTE;

type Form = Readonly<Record<string, string>>;

/** The consent page. */
export function addConsent(app: Hono, state: TikTokState): void {
  app.get(`/${CONSENT_HOST}/v2/auth/authorize/`, c => consentPage(c, state));
}

/** The token endpoint and revocation: forms, and answers without an envelope. */
export function addOAuth(api: Hono, state: TikTokState): void {
  api.post('/v2/oauth/token/', async c => {
    const form = await readForm(c, state);
    if (form['grant_type'] === 'authorization_code') return exchange(c, state, form);
    if (form['grant_type'] === 'refresh_token') return renew(c, state, form);
    return oauthError(state, 'unsupported_grant_type', 'The grant type is not supported.');
  });
  api.post('/v2/oauth/revoke/', async c => {
    const { token = '' } = await readForm(c, state);
    const stored = state.access.get(token);
    if (!stored) return oauthError(state, 'invalid_request', 'The token is invalid.');
    for (const tokens of [state.access, state.refresh]) {
      for (const [key, { account_id }] of tokens.entries()) {
        if (account_id === stored.account_id) tokens.delete(key);
      }
    }
    return c.body(null, 200);
  });
}

function oauthError(state: TikTokState, error: string, error_description: string): never {
  const status = settingsOf(state).oauth_error_status;
  const body = { error, error_description, log_id: '202611270102030405' };
  throw new HTTPException(status, { res: Response.json(body, { status }) });
}

async function readForm(c: Context, state: TikTokState): Promise<Form> {
  if (!(c.req.header('content-type') ?? '').startsWith('application/x-www-form-urlencoded')) {
    return oauthError(state, 'invalid_request', 'Only application/x-www-form-urlencoded is supported.');
  }
  const form = Object.fromEntries(new URLSearchParams(await c.req.text()));
  if (form['client_key'] !== APP.client_id || form['client_secret'] !== APP.client_secret) {
    return oauthError(state, 'invalid_client', 'Client key or secret is incorrect.');
  }
  return form;
}

function consentPage(c: Context, state: TikTokState): Response | Promise<Response> {
  const query = c.req.query();
  const scopes = (query['scope'] ?? '').split(',');
  const account = findAccount(state, query['as'] ?? 'demo');
  const problem = pageProblem(query, scopes);
  if (problem !== null || !account) {
    return c.html(consentErrorHtml('Something went wrong', problem ?? 'unknown account'), 400);
  }
  const callback = new URL(query['redirect_uri'] ?? '');
  callback.searchParams.set('state', query['state'] ?? '');
  if (query['auto'] === 'deny') {
    callback.searchParams.set('error', 'access_denied');
    callback.searchParams.set('error_description', 'User denied the authorization');
    return c.redirect(callback.href);
  }
  if (query['auto'] === 'allow') {
    const unticked = (query['untick'] ?? '').split(',');
    const granted = scopes.filter(scope => !unticked.includes(scope));
    const code = `${secret('')}*1!5212.s1`;
    state.codes.set(code, {
      account_id: account.id,
      scopes: granted,
      redirect_uri: query['redirect_uri'] ?? '',
      challenge: query['code_challenge'] ?? null,
      expires_at: state.host.now() + CODE_LIFE_MS,
    });
    callback.searchParams.set('code', code);
    callback.searchParams.set('scopes', granted.join(','));
    return c.redirect(callback.href);
  }
  const choice = (auto: string) => `?${new URLSearchParams({ ...query, auto }).toString()}`;
  return c.html(
    consentHtml({
      title: 'Log in with TikTok',
      question: `${APP.client_id} would like access to ${account.nickname}`,
      scopes,
      allow: ['Continue', choice('allow')],
      deny: ['Cancel', choice('deny')],
    }),
  );
}

/** Why the page cannot be shown; null if it can. Apps on the user's own machine need PKCE, with a challenge in hex. */
function pageProblem(query: Form, scopes: readonly string[]): string | null {
  const redirect = URL.canParse(query['redirect_uri'] ?? '') ? new URL(query['redirect_uri'] ?? '') : null;
  const isLocal = redirect !== null && LOOPBACK.includes(redirect.hostname);
  const challenge = query['code_challenge'];
  const checks: [boolean, string][] = [
    [query['client_key'] === APP.client_id, 'client_key'],
    [query['response_type'] === 'code', 'response_type'],
    [(query['state'] ?? '') !== '', 'state'],
    [scopes.every(scope => SCOPES.includes(scope)), 'scope'],
    [redirect !== null && redirect.search === '' && redirect.hash === '', 'redirect_uri'],
    [redirect?.protocol === 'https:' || isLocal, 'redirect_uri'],
    [(challenge !== undefined) === isLocal, 'code_challenge'],
    [challenge === undefined || /^[0-9a-f]{64}$/.test(challenge), 'code_challenge'],
    [challenge === undefined || query['code_challenge_method'] === 'S256', 'code_challenge_method'],
  ];
  return checks.find(([holds]) => !holds)?.[1] ?? null;
}

function exchange(c: Context, state: TikTokState, form: Form): Response {
  const code = state.codes.get(form['code'] ?? '');
  state.codes.delete(form['code'] ?? '');
  if (!code || code.expires_at <= state.host.now()) {
    return oauthError(state, 'invalid_grant', 'Authorization code is expired.');
  }
  if (code.redirect_uri !== form['redirect_uri']) {
    return oauthError(
      state,
      'invalid_request',
      'Redirect_uri is not matched with the uri when requesting code.',
    );
  }
  if (!isVerified(code, form['code_verifier'])) {
    return oauthError(state, 'invalid_request', 'Code verifier or code challenge is invalid.');
  }
  const { refresh_life_s } = settingsOf(state);
  return issue(c, state, code, state.host.now() + refresh_life_s * SECOND);
}

function isVerified({ challenge }: AuthorizationCode, verifier: string | undefined): boolean {
  if (challenge === null) return verifier === undefined;
  return (
    createHash('sha256')
      .update(verifier ?? '')
      .digest('hex') === challenge
  );
}

/** The old refresh token ends with its use. */
function renew(c: Context, state: TikTokState, form: Form): Response {
  const token = form['refresh_token'] ?? '';
  const stored = state.refresh.get(token);
  const now = state.host.now();
  if (!stored || stored.expires_at <= now) {
    return oauthError(state, 'invalid_grant', 'Refresh token is invalid or expired.');
  }
  state.refresh.delete(token);
  const { extends_refresh, refresh_life_s } = settingsOf(state);
  return issue(c, state, stored, extends_refresh ? now + refresh_life_s * SECOND : stored.expires_at);
}

function issue(
  c: Context,
  state: TikTokState,
  { account_id, scopes }: Pick<StoredToken, 'account_id' | 'scopes'>,
  refreshEnd: number,
): Response {
  const [access_token, refresh_token] = [secret('act.'), secret('rft.')];
  const now = state.host.now();
  const { access_life_s } = settingsOf(state);
  state.access.set(access_token, { account_id, scopes, expires_at: now + access_life_s * SECOND });
  state.refresh.set(refresh_token, { account_id, scopes, expires_at: refreshEnd });
  return c.json({
    access_token,
    expires_in: access_life_s,
    open_id: account_id,
    refresh_expires_in: Math.floor((refreshEnd - now) / SECOND),
    refresh_token,
    scope: scopes.join(','),
    token_type: 'Bearer',
  });
}
