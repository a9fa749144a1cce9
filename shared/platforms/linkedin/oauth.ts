import * as v from 'valibot';
import { parseJson } from '../../model/json.ts';
import type { HttpResponse } from '../../net/http.ts';
import type { AppCredentials, ConnectContext, Lifetime } from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { renewableUntil } from '../kit/lifetime.ts';
import { sendRequest } from '../kit/wire.ts';
import type { Credentials } from './credentials.ts';
import { toPlatformError } from './errors.ts';

const OAUTH = 'https://www.linkedin.com/oauth/v2';
const TIMEOUT_MS = 15_000;
const WHAT = 'The token endpoint of LinkedIn';

const token = v.pipe(v.string(), v.nonEmpty());
const TokenSchema = v.object({
  access_token: token,
  expires_in: v.number(),
  /** Separated by commas, although the request uses spaces. */
  scope: v.optional(v.string(), ''),
  refresh_token: v.nullish(token, null),
  refresh_token_expires_in: v.nullish(v.number(), null),
});

/** What the token endpoint granted. */
export interface Tokens extends Lifetime {
  credentials: Credentials;
  /** Empty where LinkedIn does not say. */
  scopes: string[];
}

/**
 * Calls the token endpoint. `known`: the tokens that a renewal starts from; what the response leaves out is kept. Throws
 * PlatformError: `token_expired` for a grant that has ended.
 */
export async function requestToken(
  app: AppCredentials,
  form: Record<string, string>,
  context: ConnectContext,
  known: Credentials | null = null,
): Promise<Tokens> {
  const response = await post('accessToken', app, form, context);
  if (response.status < 200 || response.status > 299) throw tokenError(response, context.now());
  const parsed = v.safeParse(TokenSchema, parseJson(response.body.toString('utf8')));
  if (!parsed.success) {
    throw new PlatformError({
      kind: 'transient',
      code: 'PLATFORM_UNAVAILABLE',
      message: `${WHAT} sent an unexpected body`,
      outcomeUnknown: true,
    });
  }
  const { access_token, expires_in, scope, refresh_token, refresh_token_expires_in } = parsed.output;
  const now = context.now();
  const refreshEnd = refresh_token_expires_in === null ? null : now + refresh_token_expires_in * 1000;
  const credentials = {
    access_token,
    refresh_token: refresh_token ?? known?.refresh_token ?? null,
    refresh_expires_at: refreshEnd ?? known?.refresh_expires_at ?? null,
  };
  return {
    credentials,
    scopes: scope.split(/[ ,]+/).filter(Boolean),
    ...lifetimeOf(credentials, now + expires_in * 1000, now),
  };
}

/** Tokens that cannot be renewed in time have no `renew_at`: their owner is asked to reconnect before they expire. */
function lifetimeOf(
  { refresh_token, refresh_expires_at }: Credentials,
  expiresAt: number,
  now: number,
): Lifetime {
  const lifetime = renewableUntil(expiresAt, now);
  const endsFirst = refresh_expires_at !== null && refresh_expires_at <= (lifetime.renew_at ?? expiresAt);
  return refresh_token === null || endsFirst ? { renew_at: null, expires_at: expiresAt } : lifetime;
}

/** Revokes a token. */
export async function revokeToken(
  app: AppCredentials,
  revoked: string,
  context: ConnectContext,
): Promise<void> {
  const response = await post('revoke', app, { token: revoked }, context);
  if (response.status > 299) throw tokenError(response, context.now());
}

function post(
  path: 'accessToken' | 'revoke',
  { client_id, client_secret }: AppCredentials,
  form: Record<string, string>,
  { http }: ConnectContext,
): Promise<HttpResponse> {
  const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ ...form, client_id, client_secret }).toString();
  return sendRequest(
    http,
    { method: 'POST', url: `${OAUTH}/${path}`, headers, body, timeoutMs: TIMEOUT_MS },
    WHAT,
  );
}

const OAuthErrorSchema = v.object({
  error: v.optional(v.string(), ''),
  error_description: v.optional(v.string(), ''),
});

function tokenError(response: HttpResponse, now: number): PlatformError {
  if (response.status >= 500 || response.status === 429) return toPlatformError(response, 'read', WHAT, now);
  const parsed = v.safeParse(OAuthErrorSchema, parseJson(response.body.toString('utf8')));
  const { error, error_description } = parsed.success ? parsed.output : v.parse(OAuthErrorSchema, {});
  const message = `LinkedIn refused the grant: ${error_description || error || response.status}`;
  const isDead =
    error === 'invalid_grant' || (error === 'invalid_request' && /refresh.?token/i.test(error_description));
  return isDead
    ? new PlatformError({ kind: 'token_expired', code: 'TOKEN_EXPIRED', message })
    : // Other errors concern the app's registration: they must not disconnect the account.
      new PlatformError({ kind: 'transient', code: 'INTERNAL', message });
}
