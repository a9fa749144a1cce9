import {
  defineConnector,
  type AppCredentials,
  type ConnectContext,
  type OAuthWay,
} from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { APP_FIELDS, DEFAULT_SCOPES, readApp, versionNotice } from './app.ts';
import type { Caller } from './call.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { readNewMember } from './identity.ts';
import { requestToken, revokeToken } from './oauth.ts';
import { listOrganizations } from './organizations.ts';

const AUTHORIZE = 'https://www.linkedin.com/oauth/v2/authorization';

/** OAuth 2.0 without PKCE, which LinkedIn has for native apps only. */
const oauth: OAuthWay<Credentials> = {
  kind: 'oauth',
  id: 'oauth',
  scopes: DEFAULT_SCOPES,

  authorizeUrl({ app, state, redirect_uri }) {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: app.client_id,
      redirect_uri,
      state,
      scope: readApp(app).scopes.join(' '),
    });
    return `${AUTHORIZE}?${query.toString().replaceAll('+', '%20')}`;
  },

  async exchange({ app, code, redirect_uri }, context) {
    const form = { grant_type: 'authorization_code', code, redirect_uri };
    const { credentials, scopes, ...lifetime } = await requestToken(app, form, context).catch(rejectForGood);
    if (scopes.length > 0 && !scopes.some(scope => /^w_(?:member|organization)_social/.test(scope))) {
      throw rejected(
        'PERMISSION_MISSING',
        'LinkedIn granted no permission to post: connect again and allow it',
      );
    }
    const { kind } = readApp(app);
    return {
      account: await readNewMember(callerOf(app, credentials, context), kind),
      credentials,
      scopes,
      attributes: { kind, ...(scopes.length > 0 && { scopes: scopes.join(' ') }) },
      ...lifetime,
    };
  },
};

export const connector = defineConnector<Credentials>({
  credentials: CredentialsSchema,
  ways: [oauth],
  targets: 'optional',
  app_fields: APP_FIELDS,
  appNotice: versionNotice,

  async listTargets({ app, credentials, attributes }, context) {
    // Such an app posts as the member only.
    if (attributes['kind'] === 'self_serve') return [];
    return listOrganizations(callerOf(app, credentials, context));
  },

  async renew({ app, credentials }, context) {
    const { refresh_token } = credentials;
    if (refresh_token === null) {
      const message = 'LinkedIn granted no refresh token to this app: the account must be reconnected';
      throw new PlatformError({ kind: 'token_expired', code: 'TOKEN_EXPIRED', message });
    }
    const form = { grant_type: 'refresh_token', refresh_token };
    const { scopes, ...renewed } = await requestToken(requireApp(app), form, context, credentials);
    return scopes.length === 0 ? renewed : { ...renewed, scopes, attributes: { scopes: scopes.join(' ') } };
  },

  async revoke({ app, credentials }, context) {
    const { access_token, refresh_token } = credentials;
    for (const token of [refresh_token, access_token]) {
      if (token !== null) await revokeToken(requireApp(app), token, context);
    }
  },
});

function callerOf(
  app: AppCredentials | null,
  { access_token }: Credentials,
  context: ConnectContext,
): Caller {
  return { http: context.http, token: access_token, version: readApp(app).version, now: context.now };
}

/** An authorization code can be used once: no failed exchange can be retried. */
function rejectForGood(error: unknown): never {
  if (!(error instanceof PlatformError)) throw error;
  throw rejected(error.code, error.message, error.outcomeUnknown);
}

function rejected(code: PlatformError['code'], message: string, outcomeUnknown = false): PlatformError {
  return new PlatformError({ kind: 'rejected', code, message, outcomeUnknown });
}

function requireApp(app: AppCredentials | null): AppCredentials {
  if (app) return app;
  throw new PlatformError({
    kind: 'transient',
    code: 'INTERNAL',
    message: 'The credentials of the LinkedIn app are not set',
  });
}
