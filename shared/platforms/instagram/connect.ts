import { defineConnector } from '../contract/connector.ts';
import { META_APP_FIELDS, requireApp } from '../families/meta/app.ts';
import { FACEBOOK_USERS, revokeUser } from '../families/meta/facebook-login.ts';
import { issuedAt, isSignedWith, userNamedBy } from '../families/meta/signed-request.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { facebookLogin, listLinkedAccounts, renewFacebookLogin } from './facebook-login.ts';
import { instagramLogin, renewInstagramLogin } from './instagram-login.ts';

/** Space of the users of Instagram Login in callbacks. */
const INSTAGRAM_USERS = 'instagram';

export const connector = defineConnector<Credentials>({
  credentials: CredentialsSchema,
  ways: [instagramLogin, facebookLogin],
  targets: 'none',
  app_fields: META_APP_FIELDS,
  renews_valid_token_only: true,
  callbacks: {
    space: INSTAGRAM_USERS,
    // Meta does not say which of the two secrets signs the callbacks of Instagram Login.
    app_platforms: ['instagram', 'facebook'],
    userOf: ({ way, platform_user_id, attributes }) =>
      way === 'facebook'
        ? { space: FACEBOOK_USERS, id: platform_user_id }
        : { space: INSTAGRAM_USERS, id: attributes['app_scoped_id'] ?? platform_user_id },
    userNamedBy,
    issuedAt,
    isSignedWith,
  },

  async listTargets({ app, credentials }, context) {
    if (credentials.login === 'instagram') return [];
    return listLinkedAccounts(requireApp(app, 'Facebook'), credentials.user_token, context);
  },

  renew({ app, credentials }, context) {
    return credentials.login === 'instagram'
      ? renewInstagramLogin(app, credentials.access_token, context)
      : renewFacebookLogin(requireApp(app, 'Facebook'), credentials.user_token, context);
  },

  /** Instagram Login has no request that revokes a token. */
  async revoke({ app, credentials, platform_user_id: id }, context) {
    if (credentials.login === 'instagram') return;
    const login = { ...context, app: requireApp(app, 'Facebook'), platform: 'Instagram' };
    await revokeUser({ id, token: credentials.user_token }, login);
  },
});
