import { DAY } from '../../time/instant.ts';
import type {
  AppCredentials,
  ConnectContext,
  Grant,
  Lifetime,
  OAuthWay,
  Renewal,
  Target,
} from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import {
  extendUserToken,
  facebookApi,
  facebookDialogUrl,
  loginWithFacebook,
  userClient,
  type LoginContext,
} from '../families/meta/facebook-login.ts';
import { graphClient } from '../families/meta/graph.ts';
import { listPages, mayPublish, type Page } from '../families/meta/pages.ts';
import { debugToken, type TokenFacts } from '../families/meta/permissions.ts';
import { PAGE_TOKEN } from './access.ts';
import type { Credentials } from './credentials.ts';

/* Facebook Login for Business: publishes by Facebook Pages to the Instagram accounts that are linked to them. */

const REQUIRED = ['instagram_basic', 'instagram_content_publish', 'pages_show_list', 'pages_read_engagement'];
const SCOPES = [...REQUIRED, 'instagram_manage_comments', 'instagram_manage_insights', 'business_management'];

/** How often Meta is asked how long it grants access. */
const CHECK_MS = DAY;
/** The user is asked to reconnect this long before access ends: renewing a token does not extend it. */
const NOTICE_MS = 7 * DAY;

export const facebookLogin: OAuthWay<Credentials> = {
  kind: 'oauth',
  id: 'facebook',
  scopes: SCOPES,
  app_platform: 'facebook',
  targets: 'required',

  authorizeUrl({ app, state, redirect_uri }) {
    return facebookDialogUrl({ app, state, redirect_uri, scopes: SCOPES });
  },

  async exchange({ app, code, redirect_uri }, context) {
    const login = { ...context, app, platform: 'Instagram' };
    const user = await loginWithFacebook({ code, redirect_uri, required: REQUIRED }, login);
    const targets = await linkedAccounts(user.token, user.scopes, login);
    if (targets.length === 0) throw noLinkedAccount();
    const grant: Grant<Credentials> = {
      account: {
        platform_user_id: user.id,
        display_name: user.name,
        username: null,
        avatar_url: user.picture_url,
      },
      credentials: { login: 'facebook', user_token: user.token },
      scopes: user.scopes,
      attributes: {},
      ...(await accessUntil(user.token, login)),
    };
    return grant;
  },
};

/** Lists the Instagram accounts that the user's Pages are linked to. */
export async function listLinkedAccounts(
  app: AppCredentials,
  userToken: string,
  context: ConnectContext,
): Promise<Target[]> {
  return linkedAccounts(userToken, SCOPES, { ...context, app, platform: 'Instagram' });
}

async function linkedAccounts(
  userToken: string,
  scopes: readonly string[],
  login: LoginContext,
): Promise<Target[]> {
  const pages = await listPages(userClient(userToken, login), { instagram: true, scopes });
  return pages.filter(mayPublish).flatMap(targetOf);
}

function targetOf({
  id: pageId,
  name: pageName,
  access_token,
  instagram_business_account: linked,
}: Page): Target[] {
  if (linked === null) return [];
  const { id, username } = linked;
  return [
    {
      id,
      name: username === null ? pageName : `@${username}`,
      attributes: { page_id: pageId, page_name: pageName, ...(username === null ? {} : { username }) },
      secrets: { [PAGE_TOKEN]: access_token },
    },
  ];
}

/** Extends the user token where it is still valid. Page tokens, which publish, do not expire with it. */
export async function renewFacebookLogin(
  app: AppCredentials,
  userToken: string,
  context: ConnectContext,
): Promise<Renewal<Credentials>> {
  const login = { ...context, app, platform: 'Instagram' };
  const facts = await readToken(userToken, login);
  const hasExpired = facts.error?.subcode === 463;
  if (!facts.is_valid && !hasExpired) throw ended(facts.error?.message ?? '');
  const token = hasExpired ? userToken : (await extendUserToken(userToken, login)).access_token;
  return { credentials: { login: 'facebook', user_token: token }, ...lifetimeOf(facts, context.now()) };
}

async function accessUntil(userToken: string, login: LoginContext): Promise<Lifetime> {
  return lifetimeOf(await readToken(userToken, login), login.now());
}

/** Asks Meta about a token, as the app. */
function readToken(token: string, { http, now, app, platform }: LoginContext): Promise<TokenFacts> {
  const api = facebookApi(app, { platform, errors: [] });
  const appToken = `${app.client_id}|${app.client_secret}`;
  return debugToken(graphClient({ http, now, api, token: appToken, appSecret: null }), token);
}

/**
 * Returns how long Meta grants access to the user's data: 90 days after the last activity, whatever the tokens' own
 * lives. Near the end nothing is renewed any more, so that the user is told to reconnect.
 */
function lifetimeOf(
  { data_access_expires_at: until }: { data_access_expires_at: number | null },
  now: number,
): Lifetime {
  const isEnding = until !== null && until - now <= NOTICE_MS;
  return { expires_at: until, renew_at: isEnding ? null : now + CHECK_MS };
}

const ended = (reason: string) =>
  new PlatformError({
    kind: 'token_expired',
    code: 'TOKEN_EXPIRED',
    message: `Facebook ended the access to the account${reason === '' ? '' : `: ${reason}`}`,
  });

const noLinkedAccount = () =>
  new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message:
      'None of your Facebook Pages that you may publish on is linked to an Instagram professional account: link one in the settings of the Page, select it when you log in, then connect again',
  });
