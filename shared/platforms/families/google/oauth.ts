import * as v from 'valibot';
import { parseJson } from '../../../model/json.ts';
import type { HttpResponse } from '../../../net/http.ts';
import { toIso } from '../../../time/instant.ts';
import {
  GRANT_ENDS_AT,
  type AppCredentials,
  type ConnectContext,
  type Lifetime,
  type OAuthWay,
  type Renewal,
} from '../../contract/connector.ts';
import { PlatformError } from '../../contract/error.ts';
import { renewableUntil } from '../../kit/lifetime.ts';
import { sendRequest } from '../../kit/wire.ts';
import type { GoogleCredentials } from './credentials.ts';
import { appProblem, readOAuthError, toOAuthError } from './oauth-error.ts';
import { assertGranted, scopesOf, type GoogleScope } from './scopes.ts';

/*
 * OAuth 2.0 of Google for web applications, for all platforms of Google.
 *
 * @see https://developers.google.com/identity/protocols/oauth2/web-server
 */

const AUTHORIZE = 'https://accounts.google.com/o/oauth2/v2/auth';
const OAUTH = 'https://oauth2.googleapis.com';
const TIMEOUT_MS = 15_000;

const TokenSchema = v.object({
  access_token: v.pipe(v.string(), v.nonEmpty()),
  refresh_token: v.optional(v.pipe(v.string(), v.nonEmpty())),
  expires_in: v.number(),
  scope: v.optional(v.string(), ''),
  /** Seconds; only for grants that end by themselves, such as those of an app in testing (7 days). */
  refresh_token_expires_in: v.optional(v.number()),
});
type TokenResponse = v.InferOutput<typeof TokenSchema>;

/** What Google granted: everything of a `Grant` but the account. */
export interface GoogleGrant extends Lifetime {
  credentials: GoogleCredentials;
  scopes: string[];
  attributes: Record<string, string>;
}

/**
 * Returns the URL of the consent page. `prompt` is always sent: without it Google issues a refresh token at the very
 * first authorization only, and the user cannot choose between the accounts and brand accounts of one login.
 */
export function googleAuthorizeUrl(
  { app, state, redirect_uri, code_challenge }: Parameters<OAuthWay<GoogleCredentials>['authorizeUrl']>[0],
  scopes: readonly GoogleScope[],
): string {
  const query = new URLSearchParams({
    client_id: app.client_id,
    redirect_uri,
    response_type: 'code',
    scope: scopes.map(({ scope }) => scope).join(' '),
    access_type: 'offline',
    prompt: 'consent select_account',
    state,
    code_challenge,
    code_challenge_method: 'S256',
  });
  return `${AUTHORIZE}?${query.toString().replaceAll('+', '%20')}`;
}

/**
 * Exchanges an authorization code. Throws PlatformError `rejected`, with a message for the user: for a code that Google
 * does not accept, for permissions that were left out, and where there is no refresh token.
 */
export async function exchangeGoogleCode(
  { app, code, redirect_uri, code_verifier }: Parameters<OAuthWay<GoogleCredentials>['exchange']>[0],
  scopes: readonly GoogleScope[],
  context: ConnectContext,
): Promise<GoogleGrant> {
  const form = { grant_type: 'authorization_code', code, redirect_uri, code_verifier };
  const tokens = await requestToken(app, form, context).catch(rejectForGood);
  const granted = scopesOf(tokens.scope);
  assertGranted(scopes, granted);
  const { access_token, refresh_token } = tokens;
  if (refresh_token === undefined) throw noRefreshToken();
  return {
    credentials: { access_token, refresh_token },
    scopes: granted,
    attributes: grantEnd(tokens, context.now()),
    ...lifetimeOf(tokens, context.now()),
  };
}

/** Renews the access token. Google keeps the refresh token, unless the response has a new one. */
export async function renewGoogleTokens(
  app: AppCredentials | null,
  credentials: GoogleCredentials,
  context: ConnectContext,
): Promise<Renewal<GoogleCredentials>> {
  const form = { grant_type: 'refresh_token', refresh_token: credentials.refresh_token };
  const tokens = await requestToken(requireApp(app), form, context);
  const { access_token, refresh_token = credentials.refresh_token, scope } = tokens;
  return {
    credentials: { access_token, refresh_token },
    ...(scope === '' ? {} : { scopes: scopesOf(scope) }),
    attributes: grantEnd(tokens, context.now()),
    ...lifetimeOf(tokens, context.now()),
  };
}

/**
 * Asks Google whether it accepts the id and secret of an app: it checks them before the grant, which does not exist. Throws
 * PlatformError `rejected` when it does not.
 */
export async function checkGoogleApp(
  { client_id, client_secret }: AppCredentials,
  context: ConnectContext,
): Promise<void> {
  const form = { grant_type: 'refresh_token', refresh_token: 'none', client_id, client_secret };
  const response = await post('token', form, context);
  const problem = appProblem(readOAuthError(response));
  if (problem === null) return;
  throw new PlatformError({ kind: 'rejected', code: 'INTERNAL', message: problem });
}

/** Revokes the grant of an account. A token that is dead already counts as revoked. */
export async function revokeGoogleGrant(
  { refresh_token }: GoogleCredentials,
  context: ConnectContext,
): Promise<void> {
  const response = await post('revoke', { token: refresh_token }, context);
  const isDead = response.status === 400 && readOAuthError(response).error === 'invalid_token';
  if (response.status > 299 && !isDead) throw toOAuthError(response);
}

async function requestToken(
  { client_id, client_secret }: AppCredentials,
  form: Record<string, string>,
  context: ConnectContext,
): Promise<TokenResponse> {
  const response = await post('token', { ...form, client_id, client_secret }, context);
  if (response.status !== 200) throw toOAuthError(response);
  const parsed = v.safeParse(TokenSchema, parseJson(response.body.toString('utf8')));
  if (parsed.success) return parsed.output;
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: "Google's token endpoint sent an unexpected body",
    outcomeUnknown: true,
  });
}

function post(
  path: 'token' | 'revoke',
  form: Record<string, string>,
  { http }: ConnectContext,
): Promise<HttpResponse> {
  const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(form).toString();
  return sendRequest(
    http,
    { method: 'POST', url: `${OAUTH}/${path}`, headers, body, timeoutMs: TIMEOUT_MS },
    "Google's token endpoint",
  );
}

/** An authorization code can be used once: no failed exchange can be retried. */
function rejectForGood(error: unknown): never {
  if (!(error instanceof PlatformError)) throw error;
  const { kind, code, message, outcomeUnknown } = error;
  if (kind !== 'token_expired') throw new PlatformError({ kind: 'rejected', code, message, outcomeUnknown });
  throw new PlatformError({
    kind: 'rejected',
    code: 'CONTENT_REJECTED',
    message:
      'The authorization code was used already, has expired or belongs to another login: connect again',
  });
}

const noRefreshToken = () =>
  new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message:
      'Google granted no refresh token. Remove the access of this app at https://myaccount.google.com/connections and connect again',
  });

function requireApp(app: AppCredentials | null): AppCredentials {
  if (app) return app;
  throw new PlatformError({
    kind: 'transient',
    code: 'INTERNAL',
    message: 'The credentials of the Google app are not set',
  });
}

const lifetimeOf = ({ expires_in }: TokenResponse, now: number): Lifetime =>
  renewableUntil(now + expires_in * 1000, now);

function grantEnd({ refresh_token_expires_in: seconds }: TokenResponse, now: number): Record<string, string> {
  return seconds === undefined ? {} : { [GRANT_ENDS_AT]: toIso(now + seconds * 1000) };
}
