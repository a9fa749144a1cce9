import { HOUR } from '../../time/instant.ts';
import { defineConnector, type AccountIdentity, type OAuthWay } from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { APP_FIELDS, auditNotice, requireApp } from './app.ts';
import { getUser, type User } from './client.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { requestToken, revokeToken } from './oauth.ts';
import { isGranted } from './scopes.ts';

const CONSENT = 'https://www.tiktok.com/v2/auth/authorize/';
const SCOPES = [
  'user.info.basic',
  'user.info.profile',
  'user.info.stats',
  'video.publish',
  'video.upload',
  'video.list',
];
/** The URLs of profile pictures are signed and expire. */
const FACTS_AGE_MS = 12 * HOUR;

/** OAuth 2.0. TikTok has PKCE for apps on the user's own machine only. */
const oauth: OAuthWay<Credentials> = {
  kind: 'oauth',
  id: 'oauth',
  scopes: SCOPES,

  authorizeUrl({ app, state, redirect_uri, code_challenge }) {
    const query = new URLSearchParams({
      client_key: app.client_id,
      scope: SCOPES.join(','),
      response_type: 'code',
      redirect_uri,
      state,
      // Without it, a user who is logged in could not choose another account.
      disable_auto_auth: '1',
      ...(isLocal(redirect_uri) && { code_challenge: toHex(code_challenge), code_challenge_method: 'S256' }),
    });
    return `${CONSENT}?${query.toString()}`;
  },

  async exchange({ app, code, redirect_uri, code_verifier }, context) {
    const verifier = isLocal(redirect_uri) ? { code_verifier } : {};
    const form = { grant_type: 'authorization_code', code, redirect_uri, ...verifier };
    const { open_id, ...granted } = await requestToken(app, form, context).catch(rejectForGood);
    assertUsable(granted.scopes);
    const caller = { http: context.http, token: granted.credentials.access_token };
    const user = await getUser(caller, isGranted(granted.attributes, 'user.info.profile'));
    if (user.open_id !== open_id) throw missing('TikTok named two different accounts: connect again');
    return { ...granted, account: { platform_user_id: open_id, ...presentationOf(user) } };
  },
};

export const connector = defineConnector<Credentials>({
  credentials: CredentialsSchema,
  ways: [oauth],
  targets: 'none',
  app_fields: APP_FIELDS,
  appNotice: auditNotice,

  /** Makes no other request: until the new refresh token is stored, it exists nowhere else. */
  async renew({ app, credentials }, context) {
    const form = { grant_type: 'refresh_token', refresh_token: credentials.refresh_token };
    const { open_id: _, ...renewed } = await requestToken(requireApp(app), form, context);
    return renewed;
  },

  async revoke({ app, credentials }, context) {
    await revokeToken(requireApp(app), credentials.access_token, context);
  },

  facts: {
    max_age_ms: FACTS_AGE_MS,
    async read({ credentials, attributes }, { http }) {
      const caller = { http, token: credentials.access_token };
      const user = await getUser(caller, isGranted(attributes, 'user.info.profile'));
      return { attributes: {}, account: presentationOf(user) };
    },
  },
});

function presentationOf({ display_name, username, avatar_url }: User) {
  const name = display_name === null || display_name === '' ? username : display_name;
  return {
    display_name: name ?? 'TikTok account',
    username,
    avatar_url,
  } satisfies Omit<AccountIdentity, 'platform_user_id'>;
}

/** Users can untick single permissions. */
function assertUsable(scopes: readonly string[]): void {
  if (!scopes.includes('user.info.basic')) throw missing(askFor('user.info.basic'));
  if (!scopes.includes('video.publish') && !scopes.includes('video.upload')) {
    throw missing(askFor('video.publish or video.upload'));
  }
}

const askFor = (scope: string) => `TikTok did not grant ${scope}: connect again and allow all permissions`;

const missing = (message: string) =>
  new PlatformError({ kind: 'rejected', code: 'PERMISSION_MISSING', message });

/** An authorization code can be used once: no failed exchange can be retried. */
function rejectForGood(error: unknown): never {
  if (!(error instanceof PlatformError)) throw error;
  const { code, message, outcomeUnknown } = error;
  throw new PlatformError({ kind: 'rejected', code, message, outcomeUnknown });
}

const isLocal = (uri: string) => ['localhost', '127.0.0.1'].includes(new URL(uri).hostname);

/** TikTok wants the SHA-256 of the verifier in hexadecimal digits. */
const toHex = (challenge: string) => Buffer.from(challenge, 'base64url').toString('hex');
