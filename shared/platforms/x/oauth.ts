import * as v from 'valibot';
import { parseJson } from '../../model/json.ts';
import type { HttpResponse } from '../../net/http.ts';
import type { AppCredentials, ConnectContext } from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { sendRequest } from '../kit/wire.ts';
import { readErrorResponse, toPlatformError, type ErrorResponse } from './errors.ts';

const OAUTH = 'https://api.x.com/2/oauth2';
const TIMEOUT_MS = 15_000;

const TokenSchema = v.object({
  access_token: v.pipe(v.string(), v.nonEmpty()),
  refresh_token: v.optional(v.pipe(v.string(), v.nonEmpty())),
  expires_in: v.number(),
  scope: v.optional(v.string(), ''),
});
export type TokenResponse = v.InferOutput<typeof TokenSchema>;

/** Calls the token endpoint. Throws PlatformError: `token_expired` for a grant that was used, expired or revoked. */
export async function requestToken(
  app: AppCredentials,
  form: Record<string, string>,
  context: ConnectContext,
): Promise<TokenResponse> {
  const response = await post('token', app, form, context);
  if (response.status < 200 || response.status > 299) throw tokenError(response, context.now());
  const parsed = v.safeParse(TokenSchema, parseJson(response.body.toString('utf8')));
  if (parsed.success) return parsed.output;
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'The token endpoint of X sent an unexpected body',
    outcomeUnknown: true,
  });
}

/** Revokes a token (RFC 7009). */
export async function revokeToken(
  app: AppCredentials,
  token: string,
  context: ConnectContext,
): Promise<void> {
  const response = await post('revoke', app, { token }, context);
  if (response.status > 299) throw tokenError(response, context.now());
}

function post(
  path: 'token' | 'revoke',
  app: AppCredentials,
  form: Record<string, string>,
  { http }: ConnectContext,
): Promise<HttpResponse> {
  const basic = Buffer.from(`${app.client_id}:${app.client_secret}`).toString('base64');
  const headers = {
    authorization: `Basic ${basic}`,
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  const body = new URLSearchParams(form).toString();
  return sendRequest(
    http,
    { method: 'POST', url: `${OAUTH}/${path}`, headers, body, timeoutMs: TIMEOUT_MS },
    'The token endpoint of X',
  );
}

function tokenError(response: HttpResponse, now: number): PlatformError {
  const errorResponse = readErrorResponse(response, 'read');
  const message = `X refused the grant: ${errorResponse.message || errorResponse.error || response.status}`;
  if (isDeadGrant(errorResponse))
    return new PlatformError({ kind: 'token_expired', code: 'TOKEN_EXPIRED', message });
  // Other client errors concern the app's registration: they must not disconnect the account.
  const isAppError = response.status < 500 && response.status !== 429;
  return isAppError
    ? new PlatformError({ kind: 'transient', code: 'INTERNAL', message })
    : toPlatformError(response, 'read', 'The token endpoint of X', now);
}

function isDeadGrant({ status, error, message }: ErrorResponse): boolean {
  if (status !== 400 && status !== 401) return false;
  if (error === 'invalid_grant') return true;
  if (error === 'invalid_request') return /token was invalid|authorization code was invalid/i.test(message);
  return error === 'unauthorized_client' && /revoked/i.test(message);
}
