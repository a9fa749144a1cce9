import * as v from 'valibot';
import { SECOND } from '../../time/instant.ts';
import {
  defineConnector,
  type AppCredentials,
  type ConnectContext,
  type Lifetime,
  type OAuthWay,
} from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { renewableUntil } from '../kit/lifetime.ts';
import { sendRequest } from '../kit/wire.ts';
import { apiRoot, APP_FIELDS, requireApp } from './app.ts';
import { parseResponse } from './call.ts';
import { getUser, listBoards } from './client.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { PinterestError } from './errors.ts';

const CONSENT = 'https://www.pinterest.com/oauth/';
/** Creating a Pin needs all of them. */
const SCOPES = ['boards:read', 'boards:write', 'pins:read', 'pins:write', 'user_accounts:read'];
const TIMEOUT_MS = 20 * SECOND;

const TokenSchema = v.object({
  access_token: v.pipe(v.string(), v.nonEmpty()),
  refresh_token: v.optional(v.pipe(v.string(), v.nonEmpty())),
  /** Seconds. */
  expires_in: v.number(),
  scope: v.optional(v.string(), ''),
});
type TokenResponse = v.InferOutput<typeof TokenSchema>;

/** OAuth 2.0 as a confidential client, with refresh tokens that every renewal prolongs without end. */
const oauth: OAuthWay<Credentials> = {
  kind: 'oauth',
  id: 'oauth',
  scopes: SCOPES,

  authorizeUrl({ app, state, redirect_uri }) {
    const query = new URLSearchParams({
      client_id: app.client_id,
      redirect_uri,
      response_type: 'code',
      scope: SCOPES.join(','),
      state,
    });
    return `${CONSENT}?${query.toString()}`;
  },

  async exchange({ app, code, redirect_uri }, context) {
    const form = { grant_type: 'authorization_code', code, redirect_uri, continuous_refresh: 'true' };
    const tokens = await requestToken(app, form, context).catch(rejectForGood);
    const { access_token, refresh_token } = tokens;
    const scopes = tokens.scope.split(/[\s,]+/).filter(Boolean);
    assertComplete(scopes, refresh_token);
    const user = await getUser({ http: context.http, root: apiRoot(app), token: access_token });
    const { username, business_name, profile_image, account_type } = user;
    return {
      account: {
        platform_user_id: user.id ?? username,
        display_name: business_name === null || business_name === '' ? username : business_name,
        username,
        avatar_url: profile_image,
      },
      credentials: { access_token, refresh_token },
      scopes,
      attributes: account_type === null ? {} : { account_type },
      ...lifetimeOf(tokens, context.now()),
    };
  },
};

export const connector = defineConnector<Credentials>({
  credentials: CredentialsSchema,
  ways: [oauth],
  targets: 'optional',
  app_fields: APP_FIELDS,

  async listTargets({ app, credentials }, { http }) {
    const boards = await listBoards({ http, root: apiRoot(app), token: credentials.access_token });
    return boards.map(({ id, name }) => ({ id, name, attributes: {}, secrets: null }));
  },

  async renew({ app, credentials }, context) {
    const form = { grant_type: 'refresh_token', refresh_token: credentials.refresh_token };
    const tokens = await requestToken(requireApp(app), form, context).catch(endRefusedGrant);
    // A response without a refresh token means that the stored one stays valid.
    const { access_token, refresh_token = credentials.refresh_token } = tokens;
    return { credentials: { access_token, refresh_token }, ...lifetimeOf(tokens, context.now()) };
  },
});

/** Calls the token endpoint, which belongs to the environment of the app. Throws PlatformError. */
async function requestToken(
  app: AppCredentials,
  form: Record<string, string>,
  { http }: ConnectContext,
): Promise<TokenResponse> {
  const what = 'The token endpoint of Pinterest';
  const basic = Buffer.from(`${app.client_id}:${app.client_secret}`).toString('base64');
  const headers = {
    authorization: `Basic ${basic}`,
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  const body = new URLSearchParams(form).toString();
  const url = `${apiRoot(app)}/oauth/token`;
  const response = await sendRequest(
    http,
    { method: 'POST', url, headers, body, timeoutMs: TIMEOUT_MS },
    what,
  );
  return parseResponse(response, what, TokenSchema);
}

function assertComplete(
  scopes: readonly string[],
  refreshToken: string | undefined,
): asserts refreshToken is string {
  const missing = SCOPES.filter(scope => !scopes.includes(scope));
  if (missing.length === 0 && refreshToken !== undefined) return;
  const what = missing.length > 0 ? missing.join(', ') : 'a refresh token';
  throw new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message: `Pinterest did not grant ${what}: connect again and allow all permissions`,
  });
}

/** An authorization code can be used once: no failed exchange can be retried. */
function rejectForGood(error: unknown): never {
  if (!(error instanceof PlatformError)) throw error;
  const { code, message, outcomeUnknown } = error;
  throw new PlatformError({ kind: 'rejected', code, message, outcomeUnknown });
}

/** Pinterest answers 400 or 401 for a refresh token that is used up or expired: the user must connect again. */
function endRefusedGrant(error: unknown): never {
  const isRefused = error instanceof PinterestError && [400, 401].includes(error.response.status);
  if (!isRefused) throw error;
  const { message } = error;
  throw new PlatformError({ kind: 'token_expired', code: 'TOKEN_EXPIRED', message });
}

function lifetimeOf({ expires_in }: TokenResponse, now: number): Lifetime {
  return renewableUntil(now + expires_in * SECOND, now);
}
