import { defineConnector } from '../contract/connector.ts';
import { META_APP_FIELDS, requireApp } from '../families/meta/app.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { facebookLogin, listLinkedAccounts, renewFacebookLogin } from './facebook-login.ts';
import { instagramLogin, renewInstagramLogin } from './instagram-login.ts';

export const connector = defineConnector<Credentials>({
  credentials: CredentialsSchema,
  ways: [instagramLogin, facebookLogin],
  targets: 'none',
  app_fields: META_APP_FIELDS,
  renews_valid_token_only: true,

  async listTargets({ app, credentials }, context) {
    if (credentials.login === 'instagram') return [];
    return listLinkedAccounts(requireApp(app, 'Facebook'), credentials.user_token, context);
  },

  renew({ app, credentials }, context) {
    return credentials.login === 'instagram'
      ? renewInstagramLogin(app, credentials.access_token, context)
      : renewFacebookLogin(requireApp(app, 'Facebook'), credentials.user_token, context);
  },
});
