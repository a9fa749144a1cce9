import {
  defineConnector,
  type AppCredentials,
  type Grant,
  type Lifetime,
  type OAuthWay,
} from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { renewableUntil } from '../kit/lifetime.ts';
import { getMe, type User } from './client.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { requestToken, revokeToken, type TokenResponse } from './oauth.ts';

const AUTHORIZE = 'https://x.com/i/oauth2/authorize';
const SCOPES = ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access'];

/** OAuth 2.0 with PKCE as a confidential client. */
const oauth: OAuthWay<Credentials> = {
  kind: 'oauth',
  id: 'oauth',
  scopes: SCOPES,

  authorizeUrl({ app, state, redirect_uri, code_challenge }) {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: app.client_id,
      redirect_uri,
      scope: SCOPES.join(' '),
      state,
      code_challenge,
      code_challenge_method: 'S256',
    });
    return `${AUTHORIZE}?${query.toString().replaceAll('+', '%20')}`;
  },

  async exchange({ app, code, redirect_uri, code_verifier }, context) {
    const form = { grant_type: 'authorization_code', code, redirect_uri, code_verifier };
    const tokens = await requestToken(app, form, context).catch(rejectForGood);
    const { access_token, refresh_token } = tokens;
    if (refresh_token === undefined) throw noRefreshToken();
    const user = await getMe({ http: context.http, token: access_token, now: context.now });
    return grantOf({ access_token, refresh_token }, tokens, user, context.now());
  },
};

export const connector = defineConnector<Credentials>({
  credentials: CredentialsSchema,
  ways: [oauth],
  targets: 'none',

  async renew({ app, credentials }, context) {
    const form = { grant_type: 'refresh_token', refresh_token: credentials.refresh_token };
    const tokens = await requestToken(requireApp(app), form, context);
    // A response without a refresh token means that the stored one stays valid.
    const { access_token, refresh_token = credentials.refresh_token } = tokens;
    return { credentials: { access_token, refresh_token }, ...lifetimeOf(tokens, context.now()) };
  },

  async revoke({ app, credentials }, context) {
    for (const token of [credentials.refresh_token, credentials.access_token]) {
      await revokeToken(requireApp(app), token, context);
    }
  },
});

/** An authorization code can be used once within 30 seconds: no failed exchange can be retried. */
function rejectForGood(error: unknown): never {
  if (!(error instanceof PlatformError)) throw error;
  const { code, message, outcomeUnknown } = error;
  throw new PlatformError({ kind: 'rejected', code, message, outcomeUnknown });
}

function noRefreshToken(): PlatformError {
  return new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message: 'X granted no refresh token: allow the permission offline.access and connect again',
  });
}

function requireApp(app: AppCredentials | null): AppCredentials {
  if (app) return app;
  throw new PlatformError({
    kind: 'transient',
    code: 'INTERNAL',
    message: 'The credentials of the X app are not set',
  });
}

function grantOf(
  credentials: Credentials,
  tokens: TokenResponse,
  user: User,
  now: number,
): Grant<Credentials> {
  return {
    account: {
      platform_user_id: user.id,
      display_name: user.name,
      username: user.username,
      avatar_url: user.profile_image_url?.replace('_normal.', '.') ?? null,
    },
    credentials,
    scopes: tokens.scope.split(' ').filter(Boolean),
    attributes: {
      ...(tokens.scope === '' ? {} : { scopes: tokens.scope }),
      ...(user.subscription_type === null ? {} : { subscription_type: user.subscription_type }),
    },
    ...lifetimeOf(tokens, now),
  };
}

function lifetimeOf({ expires_in }: TokenResponse, now: number): Lifetime {
  return renewableUntil(now + expires_in * 1000, now);
}
