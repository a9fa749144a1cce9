import * as v from 'valibot';
import { parseJson, type Json } from '../../model/json.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';
import type { AppCredentials, ConnectContext, Lifetime } from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { retryAfterMs } from '../kit/retry-after.ts';
import { sendRequest } from '../kit/wire.ts';
import type { Credentials } from './credentials.ts';

const TOKEN_URL = 'https://accounts.snapchat.com/login/oauth2/access_token';
const TIMEOUT_MS = 15 * SECOND;
const WHAT = 'The token endpoint of Snapchat';

/** An upload must not outlive its token, which lasts an hour. */
const AHEAD_MS = 15 * MINUTE;

const token = v.pipe(v.string(), v.nonEmpty());
const TokenSchema = v.object({
  access_token: token,
  /** Seconds. */
  expires_in: v.pipe(v.number(), v.minValue(1)),
  refresh_token: v.nullish(token, null),
  scope: v.fallback(v.nullish(v.string(), ''), ''),
});

/** What the token endpoint granted. */
export interface Tokens extends Lifetime {
  credentials: Credentials;
  /** Empty where Snapchat does not say. */
  scopes: string[];
}

/**
 * Calls the token endpoint. `refreshToken`: the one that stays valid where the response has none. Throws PlatformError:
 * `token_expired` for a grant that has ended.
 */
export async function requestToken(
  { client_id, client_secret }: AppCredentials,
  form: Record<string, string>,
  { http, now }: ConnectContext,
  refreshToken: string | null,
): Promise<Tokens> {
  const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ ...form, client_id, client_secret }).toString();
  const request = { method: 'POST', url: TOKEN_URL, headers, body, timeoutMs: TIMEOUT_MS } as const;
  const response = await sendRequest(http, request, WHAT);
  const json = parseJson(response.body.toString('utf8'));
  if (response.status === 429) {
    throw new PlatformError({
      kind: 'rate_limited',
      code: 'PLATFORM_RATE_LIMIT',
      message: `${WHAT} answered 429`,
      retryAfterMs: retryAfterMs(response),
    });
  }
  if (response.status >= 500) throw unavailable(`${WHAT} answered ${response.status}`);
  if (response.status > 299) throw grantError(response.status, json);
  const parsed = v.safeParse(TokenSchema, json);
  if (!parsed.success) throw unavailable(`${WHAT} sent an unexpected body`);
  const { access_token, expires_in, scope } = parsed.output;
  const refresh_token = parsed.output.refresh_token ?? refreshToken;
  if (refresh_token === null) {
    const message = 'Snapchat granted no refresh token: connect again';
    throw new PlatformError({ kind: 'rejected', code: 'PERMISSION_MISSING', message });
  }
  return {
    credentials: { access_token, refresh_token },
    scopes: scope.split(/[ ,]+/).filter(Boolean),
    ...lifetimeOf(expires_in * SECOND, now()),
  };
}

/** Tokens of half an hour are renewed at half of their life. */
function lifetimeOf(lifeMs: number, now: number): Lifetime {
  return { renew_at: now + lifeMs - Math.min(AHEAD_MS, lifeMs / 2), expires_at: now + lifeMs };
}

const OAuthErrorSchema = v.object({
  error: v.fallback(v.string(), ''),
  error_description: v.fallback(v.string(), ''),
});

function grantError(status: number, json: Json): PlatformError {
  const parsed = v.safeParse(OAuthErrorSchema, json);
  const { error, error_description } = parsed.success ? parsed.output : { error: '', error_description: '' };
  const words = [error, error_description].filter(Boolean).join(': ');
  const message = `Snapchat refused the grant: ${words || status}`;
  if (error === 'invalid_grant') {
    return new PlatformError({ kind: 'token_expired', code: 'TOKEN_EXPIRED', message });
  }
  // Other errors concern the app's registration: they must not disconnect the account.
  return new PlatformError({
    kind: 'transient',
    code: 'INTERNAL',
    message: `${message}. Check the client id, the secret and the redirect URI of the app in Snapchat's Business Manager`,
  });
}

function unavailable(message: string): PlatformError {
  return new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message,
    outcomeUnknown: true,
  });
}
