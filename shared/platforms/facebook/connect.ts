import { DAY } from '../../time/instant.ts';
import {
  defineConnector,
  type ConnectContext,
  type ConnectedAccount,
  type Grant,
  type OAuthWay,
  type Target,
} from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { LOGIN_CONFIGURATION_FIELD, META_APP_FIELDS, requireApp } from '../families/meta/app.ts';
import { isGraphError } from '../families/meta/errors.ts';
import {
  extendUserToken,
  FACEBOOK_USERS,
  facebookDialogUrl,
  loginWithFacebook,
  readUser,
  revokeUser,
  userClient,
  type FacebookUser,
  type LoginContext,
} from '../families/meta/facebook-login.ts';
import { listPages, mayPublish, type Page } from '../families/meta/pages.ts';
import { issuedAt, isSignedWith, userNamedBy } from '../families/meta/signed-request.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';

const REQUIRED = [
  'pages_show_list',
  'pages_read_engagement',
  'pages_read_user_content',
  'pages_manage_posts',
  'pages_manage_engagement',
];
/** Without them, posts have no views, and Pages of a business are not listed. */
const OPTIONAL = ['read_insights', 'business_management'];
/** Half of the life of a user token. */
const RENEW_AFTER_MS = 30 * DAY;
/** Subcode of a token that has expired. */
const EXPIRED = 463;

/** Facebook Login for Business. Facebook has no PKCE; the state is signed and can be used once. */
const login: OAuthWay<Credentials> = {
  kind: 'oauth',
  id: 'facebook',
  scopes: [...REQUIRED, ...OPTIONAL],

  authorizeUrl: ({ app, state, redirect_uri }) =>
    facebookDialogUrl({ app, state, redirect_uri, scopes: [...REQUIRED, ...OPTIONAL] }),

  async exchange({ app, code, redirect_uri }, { http, now }) {
    const context = { http, now, app, platform: 'Facebook' };
    const user = await loginWithFacebook({ code, redirect_uri, required: REQUIRED }, context);
    publishablePages(await listPages(userClient(user.token, context), pagesOf(user.scopes)));
    return grantOf(user, now());
  },
};

export const connector = defineConnector<Credentials>({
  credentials: CredentialsSchema,
  ways: [login],
  targets: 'required',
  app_fields: { ...META_APP_FIELDS, ...LOGIN_CONFIGURATION_FIELD },
  callbacks: {
    space: FACEBOOK_USERS,
    app_platforms: ['facebook'],
    userOf: ({ platform_user_id }) => ({ space: FACEBOOK_USERS, id: platform_user_id }),
    userNamedBy,
    issuedAt,
    isSignedWith,
  },

  async listTargets(account, context) {
    const client = userClient(account.credentials.user_token, loginContext(account, context));
    const scopes = account.attributes['scopes']?.split(',') ?? [];
    return publishablePages(await listPages(client, pagesOf(scopes))).map(targetOf);
  },

  // Page tokens do not expire, and one that Facebook refuses cannot be replaced without the user.
  renews_valid_token_only: true,

  async renew(account, context) {
    const { credentials } = account;
    const login = loginContext(account, context);
    try {
      const { access_token: user_token } = await extendUserToken(credentials.user_token, login);
      const { name, picture_url } = await readUser(userClient(user_token, login));
      return {
        credentials: { user_token },
        account: { display_name: name, avatar_url: picture_url },
        renew_at: context.now() + RENEW_AFTER_MS,
        expires_at: null,
      };
    } catch (error) {
      // Posts are published with Page tokens, which outlive the user token.
      if (!isGraphError(error, 190, EXPIRED)) throw error;
      return { credentials, renew_at: null, expires_at: null };
    }
  },

  async revoke(account, context) {
    const user = { id: account.platform_user_id, token: account.credentials.user_token };
    await revokeUser(user, loginContext(account, context));
  },
});

function loginContext({ app }: ConnectedAccount<Credentials>, { http, now }: ConnectContext): LoginContext {
  return { http, now, app: requireApp(app, 'Facebook'), platform: 'Facebook' };
}

const pagesOf = (scopes: readonly string[]) => ({ instagram: false, scopes });

/** Returns the Pages that the user may publish on. Throws PlatformError `rejected` where there is none. */
function publishablePages(pages: readonly Page[]): Page[] {
  const publishable = pages.filter(mayPublish);
  if (publishable.length > 0) return publishable;
  const names = pages.map(({ name }) => name).join(', ');
  throw new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message:
      names === ''
        ? 'The account manages no Facebook Page, or none was selected in the login dialog: create a Page or select it, then connect again'
        : `The account may not create content on ${names}: ask for full access or the task "Content" on the Page, then connect again`,
  });
}

function grantOf({ id, name, picture_url, token, scopes }: FacebookUser, now: number): Grant<Credentials> {
  return {
    account: { platform_user_id: id, display_name: name, username: null, avatar_url: picture_url },
    credentials: { user_token: token },
    scopes,
    attributes: { scopes: scopes.join(',') },
    renew_at: now + RENEW_AFTER_MS,
    expires_at: null,
  };
}

function targetOf({ id, name, username, picture_url, access_token }: Page): Target {
  return {
    id,
    name,
    attributes: {
      ...(username === null ? {} : { username }),
      ...(picture_url === null ? {} : { picture_url }),
    },
    secrets: { access_token },
  };
}
