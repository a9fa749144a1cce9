import {
  defineConnector,
  type AccountIdentity,
  type AppCredentials,
  type ConnectContext,
  type Grant,
  type Lifetime,
  type OAuthWay,
  type Renewal,
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
    return {
      credentials: { access_token, refresh_token },
      ...lifetimeOf(tokens, context.now()),
      ...(await presentationOf(access_token, context)),
    };
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
    account: accountOf(user),
    credentials,
    scopes: tokens.scope.split(' ').filter(Boolean),
    attributes: {
      ...(tokens.scope === '' ? {} : { scopes: tokens.scope }),
      ...factsOf(user),
    },
    ...lifetimeOf(tokens, now),
  };
}

/**
 * Returns what may have changed of an account: a subscription begins or ends at any time. Nothing where it cannot be read,
 * since the renewed tokens must not be lost. X charges for one read of an account a day.
 */
async function presentationOf(
  token: string,
  { http, now }: ConnectContext,
): Promise<Pick<Renewal<Credentials>, 'account' | 'attributes'>> {
  try {
    const user = await getMe({ http, token, now });
    const { display_name, username, avatar_url } = accountOf(user);
    return { account: { display_name, username, avatar_url }, attributes: factsOf(user) };
  } catch (error) {
    if (error instanceof PlatformError) return {};
    throw error;
  }
}

const accountOf = (user: User): AccountIdentity => ({
  platform_user_id: user.id,
  display_name: user.name,
  username: user.username,
  avatar_url: user.profile_image_url?.replace('_normal.', '.') ?? null,
});

const factsOf = ({ subscription_type }: User) => ({ subscription_type: subscription_type ?? 'None' });

function lifetimeOf({ expires_in }: TokenResponse, now: number): Lifetime {
  return renewableUntil(now + expires_in * 1000, now);
}
