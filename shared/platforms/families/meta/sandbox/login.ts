import type { Context, Hono } from 'hono';
import { consentErrorHtml, consentHtml } from '../../../kit/sandbox/consent-page.ts';
import { authenticate } from './access.ts';
import { graphError, invalidParameter } from './responses.ts';
import { findUser, randomToken, type MetaState, type MetaToken } from './state.ts';

const CODE_LIFE_MS = 10 * 60_000;
const SHORT_LIFE_MS = 2 * 3600_000;
const LONG_LIFE_MS = 60 * 24 * 3600_000;

/** The login dialog, at `/www.facebook.com/<version>/dialog/oauth`. */
export function addLoginDialog(app: Hono, state: MetaState): void {
  app.get('/www.facebook.com/:version/dialog/oauth', c => dialog(c, state));
}

/** The token endpoint: the code for a short-lived token, that for a long-lived one. */
export function addTokenEndpoint(api: Hono, state: MetaState): void {
  api.get('/graph.facebook.com/oauth/access_token', c => {
    const { client_id, client_secret, grant_type } = c.req.query();
    if (client_id !== state.app.client_id)
      return graphError({
        code: 101,
        message: 'Error validating application. Cannot get application info due to a system error.',
      });
    if (client_secret !== state.app.client_secret)
      return graphError({ code: 1, message: 'Error validating client secret.' });
    return grant_type === 'fb_exchange_token' ? extend(c, state) : exchange(c, state);
  });
}

function dialog(c: Context, state: MetaState): Response | Promise<Response> {
  const query = c.req.query();
  const user = findUser(state, query['as'] ?? 'demo');
  const asked = askedScopes(state, query);
  const problem = dialogProblem(state, query, asked);
  if (problem !== null || !user) return c.html(consentErrorHtml('Error', problem ?? 'Unknown user'), 400);

  const callback = new URL(query['redirect_uri'] ?? '');
  callback.searchParams.set('state', query['state'] ?? '');
  if (query['auto'] === 'deny') {
    callback.searchParams.set('error', 'access_denied');
    callback.searchParams.set('error_code', '200');
    callback.searchParams.set('error_reason', 'user_denied');
    callback.searchParams.set('error_description', 'Permissions error');
    return c.redirect(callback.href);
  }
  if (query['auto'] === 'allow') {
    const declined = query['decline']?.split(',') ?? [];
    const code = randomToken('AQ');
    state.codes.set(code, {
      user_id: user.id,
      scopes: asked.filter(scope => !declined.includes(scope)),
      redirect_uri: query['redirect_uri'] ?? '',
      expires_at: state.host.now() + CODE_LIFE_MS,
      used: false,
    });
    callback.searchParams.set('code', code);
    return c.redirect(callback.href);
  }
  const choice = (auto: string) => `?${new URLSearchParams({ ...query, auto }).toString()}`;
  return c.html(
    consentHtml({
      title: 'Log in with Facebook',
      question: `${state.app.client_id} wants to access Pages of ${user.name}`,
      scopes: asked,
      allow: ['Allow', choice('allow')],
      deny: ['Deny', choice('deny')],
    }),
  );
}

/** A configuration of Facebook Login for Business replaces `scope`. */
function askedScopes({ scopes }: MetaState, { scope, config_id }: Record<string, string>): readonly string[] {
  return config_id === undefined ? (scope?.split(',').filter(Boolean) ?? []) : scopes;
}

function dialogProblem(
  { app, scopes }: MetaState,
  query: Record<string, string>,
  asked: readonly string[],
): string | null {
  const unknown = asked.filter(scope => !scopes.includes(scope));
  const checks: [boolean, string][] = [
    [query['client_id'] === app.client_id, 'Invalid App ID'],
    [query['response_type'] === 'code', 'Invalid response_type'],
    [URL.canParse(query['redirect_uri'] ?? ''), 'The redirect_uri URL must be absolute'],
    [(query['state'] ?? '') !== '', 'The parameter state is required'],
    [asked.length > 0, 'Neither scope nor config_id is given'],
    [unknown.length === 0, `Invalid Scopes: ${unknown.join(', ')}`],
  ];
  return checks.find(([holds]) => !holds)?.[1] ?? null;
}

function exchange(c: Context, state: MetaState): Response {
  const { code = '', redirect_uri } = c.req.query();
  const stored = state.codes.get(code);
  if (!stored) return invalidParameter('Invalid verification code format.');
  if (stored.used)
    return graphError({ code: 100, subcode: 36009, message: 'This authorization code has been used.' });
  if (stored.expires_at <= state.host.now())
    return graphError({ code: 100, subcode: 36007, message: 'This authorization code has expired.' });
  if (stored.redirect_uri !== redirect_uri)
    return graphError({
      code: 100,
      subcode: 36008,
      message:
        'Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request',
    });
  state.codes.set(code, { ...stored, used: true });
  return issue(c, state, stored, false);
}

function extend(c: Context, state: MetaState): Response {
  const caller = authenticate(state, c.req.query('fb_exchange_token'));
  if (caller.kind !== 'user') return invalidParameter('The token cannot be exchanged.');
  return issue(c, state, caller, true);
}

/** Issues a user token. Mode `no_expires_in`: the response does not say how long it lasts. */
function issue(
  c: Context,
  state: MetaState,
  { user_id, scopes }: Pick<MetaToken, 'user_id' | 'scopes'>,
  longLived: boolean,
): Response {
  const token = randomToken('EAA');
  const now = state.host.now();
  const life = longLived ? LONG_LIFE_MS : SHORT_LIFE_MS;
  state.tokens.set(token, {
    kind: 'user',
    user_id,
    page_id: null,
    scopes: [...scopes],
    issued_at: now,
    expires_at: now + life,
    long_lived: longLived,
    error_subcode: null,
  });
  return c.json({
    access_token: token,
    token_type: 'bearer',
    ...(state.modes.get('no_expires_in') === true ? {} : { expires_in: life / 1000 }),
  });
}
