import type {
  AppCredentials,
  ConnectContext,
  Grant,
  OAuthConnector,
  RenewInput,
} from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { getMe, type User } from './client.ts';
import { requestToken, revokeToken, type TokenPair } from './oauth.ts';

const AUTHORIZE = 'https://x.com/i/oauth2/authorize';
const SCOPES = ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access'];

/** OAuth 2.0 with PKCE as a confidential client. A refresh token lives for one use. */
export const connector: OAuthConnector = {
  kind: 'oauth',
  rotates: true,
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
    const tokens = await requestToken(app, form, context).catch(refuseForGood);
    const user = await getMe({ http: context.http, token: tokens.access_token, now: context.now });
    return grantOf(tokens, user, context.now());
  },

  async renew({ app, credentials }, context) {
    const { refresh_token } = credentials;
    if (refresh_token === null) {
      throw new PlatformError({
        kind: 'token_expired',
        code: 'TOKEN_EXPIRED',
        message: 'X gave no refresh token: the permission offline.access is missing',
      });
    }
    const form = { grant_type: 'refresh_token', refresh_token };
    const tokens = await requestToken(registration(app), form, context);
    return { credentials: pairOf(tokens), token_expires_at: expiryOf(tokens, context.now()) };
  },

  async revoke({ app, credentials }: RenewInput, context: ConnectContext) {
    for (const token of [credentials.refresh_token, credentials.access_token]) {
      if (token !== null) await revokeToken(registration(app), token, context);
    }
  },
};

/** A code is good for one exchange within 30 seconds: nothing of it can be tried again. */
function refuseForGood(error: unknown): never {
  if (!(error instanceof PlatformError)) throw error;
  const { code, message, outcomeUnknown } = error;
  throw new PlatformError({ kind: 'rejected', code, message, outcomeUnknown });
}

function registration(app: AppCredentials | null): AppCredentials {
  if (app) return app;
  throw new PlatformError({ kind: 'transient', code: 'INTERNAL', message: 'No app of X is registered' });
}

function grantOf(tokens: TokenPair, user: User, now: number): Grant {
  return {
    account: {
      platform_user_id: user.id,
      display_name: user.name,
      username: user.username,
      avatar_url: user.profile_image_url?.replace('_normal.', '.') ?? null,
    },
    credentials: { refresh_token: null, secret: null, ...pairOf(tokens) },
    scopes: tokens.scope.split(' ').filter(Boolean),
    attributes: {
      ...(tokens.scope === '' ? {} : { scopes: tokens.scope }),
      subscription_type: user.subscription_type ?? 'None',
    },
    token_expires_at: expiryOf(tokens, now),
  };
}

function pairOf({ access_token, refresh_token }: TokenPair) {
  return { access_token, ...(refresh_token === undefined ? {} : { refresh_token }) };
}

function expiryOf({ expires_in }: TokenPair, now: number): number {
  return now + expires_in * 1000;
}
