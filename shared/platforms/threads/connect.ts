import * as v from 'valibot';
import { DAY } from '../../time/instant.ts';
import {
  defineConnector,
  type AccountIdentity,
  type ConnectContext,
  type Lifetime,
  type OAuthWay,
} from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import type { GraphClient } from '../families/meta/graph.ts';
import { assertPermissions, debugToken } from '../families/meta/permissions.ts';
import { issuedAt, isSignedWith, userNamedBy } from '../families/meta/signed-request.ts';
import {
  longLivedUntil,
  rejectForGood,
  requestToken,
  TokenSchema,
  type IssuedToken,
} from '../families/meta/tokens.ts';
import { getMe, HOST, threadsClient, type User } from './client.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';

const LOGIN = 'https://www.threads.com/oauth/authorize';
const REQUIRED = ['threads_basic', 'threads_content_publish'];
const SCOPES = [...REQUIRED, 'threads_manage_insights'];

/** Space of the users of Threads in callbacks. */
const THREADS_USERS = 'threads';

/** Threads refuses to renew younger tokens. */
const MIN_AGE_MS = DAY;
/** Renewed at half of their life, so that a failure leaves a month to repeat it. */
const RENEWAL_AGE_MS = 30 * DAY;

/** The login of Threads. Its app id and secret are those of the Threads use case, not those of the Meta app. */
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
    return `${LOGIN}?${query.toString()}`;
  },

  async exchange({ app, code, redirect_uri }, context) {
    const short = await requestToken(
      context,
      {
        what: 'Connecting the account',
        platform: 'Threads',
        method: 'POST',
        url: `${HOST}/oauth/access_token`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          client_id: app.client_id,
          client_secret: app.client_secret,
          grant_type: 'authorization_code',
          redirect_uri,
          // Threads appends it to the redirect.
          code: code.replace(/#_$/, ''),
        }).toString(),
      },
      v.pick(TokenSchema, ['access_token']),
    ).catch(rejectForGood);
    // Without the long-lived token the connection would end within the hour.
    const long = await requestLongToken(context, 'access_token', short.access_token, {
      grant_type: 'th_exchange_token',
      client_secret: app.client_secret,
    }).catch(rejectForGood);

    const client = threadsClient({ ...context, token: long.access_token });
    const scopes = await grantedScopes(client, long.access_token);
    // The user id of the token response is another number, and exceeds the safe integers.
    const user = await getMe(client);
    return {
      account: { platform_user_id: user.id, ...presentationOf(user) },
      credentials: { access_token: long.access_token },
      scopes,
      attributes: {},
      ...lifetimeOf(long, context.now()),
    };
  },
};

export const connector = defineConnector<Credentials>({
  credentials: CredentialsSchema,
  ways: [oauth],
  targets: 'none',
  renews_valid_token_only: true,
  callbacks: {
    space: THREADS_USERS,
    // Meta does not say which of the two secrets signs the callbacks of Threads.
    app_platforms: ['threads', 'facebook'],
    userOf: ({ platform_user_id }) => ({ space: THREADS_USERS, id: platform_user_id }),
    userNamedBy,
    issuedAt,
    isSignedWith,
  },

  async renew({ credentials }, context) {
    const renewed = await requestLongToken(context, 'refresh_access_token', credentials.access_token, {
      grant_type: 'th_refresh_token',
    });
    const { access_token } = renewed;
    const user = await getMe(threadsClient({ ...context, token: access_token })).catch(ignoreFailure);
    return {
      credentials: { access_token },
      ...(user ? { account: presentationOf(user) } : {}),
      ...lifetimeOf(renewed, context.now()),
    };
  },
});

/** Exchanges a token that is still valid for a long-lived one. */
function requestLongToken(
  context: ConnectContext,
  path: 'access_token' | 'refresh_access_token',
  token: string,
  query: Record<string, string>,
): Promise<IssuedToken> {
  const what = path === 'access_token' ? 'Connecting the account' : 'Renewing the access token';
  return requestToken(
    context,
    {
      what,
      platform: 'Threads',
      method: 'GET',
      url: `${HOST}/${path}`,
      query: { ...query, access_token: token },
    },
    TokenSchema,
  );
}

/**
 * Returns the permissions that the user granted, or those that were asked for where Threads does not tell. Throws
 * PlatformError `rejected` when one is missing that posts need.
 */
async function grantedScopes(client: GraphClient, token: string): Promise<readonly string[]> {
  const facts = await debugToken(client, token).catch(ignoreFailure);
  if (!facts || facts.scopes.length === 0) return SCOPES;
  assertPermissions('Threads', REQUIRED, facts.scopes);
  return facts.scopes;
}

function ignoreFailure(error: unknown): null {
  if (error instanceof PlatformError) return null;
  throw error;
}

function presentationOf(user: User): Omit<AccountIdentity, 'platform_user_id'> {
  const { username, name, threads_profile_picture_url: avatar_url } = user;
  return { display_name: name === null || name === '' ? username : name, username, avatar_url };
}

function lifetimeOf(token: IssuedToken, now: number): Lifetime {
  const expires_at = longLivedUntil(token, now);
  const half = Math.min(RENEWAL_AGE_MS, (expires_at - now) / 2);
  return { renew_at: now + Math.max(MIN_AGE_MS, half), expires_at };
}
