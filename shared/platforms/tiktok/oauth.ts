import * as v from 'valibot';
import { parseJson } from '../../model/json.ts';
import type { HttpResponse } from '../../net/http.ts';
import { SECOND, toIso } from '../../time/instant.ts';
import {
  GRANT_ENDS_AT,
  type AppCredentials,
  type ConnectContext,
  type Lifetime,
} from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { renewableUntil } from '../kit/lifetime.ts';
import { sendRequest } from '../kit/wire.ts';
import { isUnaudited } from './app.ts';
import { API } from './call.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';

const TIMEOUT_MS = 20 * SECOND;
const WHAT = 'The token endpoint of TikTok';

const TokenSchema = v.object({
  ...CredentialsSchema.entries,
  open_id: v.pipe(v.string(), v.nonEmpty()),
  /** Seconds that are left of each token. TikTok has changed both numbers before. */
  expires_in: v.number(),
  refresh_expires_in: v.number(),
  scope: v.string(),
});

/** What the token endpoint granted. */
export interface Tokens extends Lifetime {
  open_id: string;
  credentials: Credentials;
  scopes: string[];
  attributes: Record<string, string>;
}

/**
 * Calls the token endpoint. Its responses have no envelope, and an error may have the status 200. Throws PlatformError:
 * `token_expired` for a grant that has ended.
 */
export async function requestToken(
  app: AppCredentials,
  form: Record<string, string>,
  context: ConnectContext,
): Promise<Tokens> {
  const response = await post('token', app, form, context);
  const parsed = v.safeParse(TokenSchema, parseJson(response.body.toString('utf8')));
  if (!parsed.success) throw tokenError(response);
  const { access_token, refresh_token, open_id, expires_in, refresh_expires_in, scope } = parsed.output;
  const now = context.now();
  const refreshEnd = now + refresh_expires_in * SECOND;
  const scopes = scope.split(',').filter(Boolean);
  return {
    open_id,
    credentials: { access_token, refresh_token },
    scopes,
    attributes: {
      scopes: scopes.join(','),
      audited: String(!isUnaudited(app)),
      [GRANT_ENDS_AT]: toIso(refreshEnd),
    },
    ...lifetimeOf(now + expires_in * SECOND, refreshEnd, now),
  };
}

/** Tokens that cannot be renewed in time have no `renew_at`. */
function lifetimeOf(expires_at: number, refreshEnd: number, now: number): Lifetime {
  const lifetime = renewableUntil(expires_at, now);
  return refreshEnd > (lifetime.renew_at ?? expires_at) ? lifetime : { renew_at: null, expires_at };
}

export async function revokeToken(
  app: AppCredentials,
  token: string,
  context: ConnectContext,
): Promise<void> {
  const response = await post('revoke', app, { token }, context);
  const { error } = readError(response);
  if (response.status !== 200 || error !== '') throw tokenError(response);
}

function post(
  path: 'token' | 'revoke',
  { client_id, client_secret }: AppCredentials,
  form: Record<string, string>,
  { http }: ConnectContext,
): Promise<HttpResponse> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'cache-control': 'no-cache' };
  const body = new URLSearchParams({ client_key: client_id, client_secret, ...form }).toString();
  const url = `${API}/v2/oauth/${path}/`;
  return sendRequest(http, { method: 'POST', url, headers, body, timeoutMs: TIMEOUT_MS }, WHAT);
}

const ErrorSchema = v.object({
  error: v.optional(v.string(), ''),
  error_description: v.optional(v.string(), ''),
});

function readError({ body }: HttpResponse): v.InferOutput<typeof ErrorSchema> {
  const parsed = v.safeParse(ErrorSchema, parseJson(body.toString('utf8')));
  return parsed.success ? parsed.output : { error: '', error_description: '' };
}

/** Only `invalid_grant` ends the grant. Other errors concern the app, and must not disconnect the account. */
function tokenError(response: HttpResponse): PlatformError {
  const { error, error_description } = readError(response);
  if (error === '') {
    const message = `${WHAT} answered ${response.status} with an unexpected body`;
    return new PlatformError({
      kind: 'transient',
      code: 'PLATFORM_UNAVAILABLE',
      message,
      outcomeUnknown: true,
    });
  }
  const message = `TikTok refused the grant: ${error_description || error} (${error})`;
  return error === 'invalid_grant'
    ? new PlatformError({ kind: 'token_expired', code: 'TOKEN_EXPIRED', message })
    : new PlatformError({ kind: 'transient', code: 'INTERNAL', message });
}
