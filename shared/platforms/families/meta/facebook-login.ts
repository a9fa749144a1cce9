import * as v from 'valibot';
import type { AppCredentials, ConnectContext } from '../../contract/connector.ts';
import { graphVersion } from './app.ts';
import { graphClient, type GraphApi, type GraphClient } from './graph.ts';
import { GraphId, SuccessSchema } from './json.ts';
import { assertPermissions, grantedPermissions } from './permissions.ts';
import { longLivedUntil, rejectForGood, requestToken, TokenSchema, type IssuedToken } from './tokens.ts';

/* Facebook Login for Business: one login for Pages and for the Instagram accounts that are linked to them. */

const DIALOG = 'https://www.facebook.com';
const GRAPH = 'https://graph.facebook.com';

/** Space of the users of Facebook Login in callbacks. */
export const FACEBOOK_USERS = 'facebook';

export const graphRoot = (app: AppCredentials | null) => `${GRAPH}/${graphVersion(app)}`;

/** Uploads of videos. */
export const graphVideoRoot = (app: AppCredentials | null) =>
  `https://graph-video.facebook.com/${graphVersion(app)}`;

/** Returns the API at graph.facebook.com with a platform's own errors. */
export function facebookApi(
  app: AppCredentials | null,
  { platform, errors }: Pick<GraphApi, 'platform' | 'errors'>,
): GraphApi {
  return { platform, root: graphRoot(app), errors };
}

/** Returns the URL of the login dialog. `rerequest` asks again for permissions that the user declined earlier. */
export function facebookDialogUrl(input: {
  app: AppCredentials;
  state: string;
  redirect_uri: string;
  scopes: readonly string[];
}): string {
  const { app, state, redirect_uri, scopes } = input;
  const configuration = app['config_id'];
  const query = new URLSearchParams({
    client_id: app.client_id,
    redirect_uri,
    state,
    response_type: 'code',
    auth_type: 'rerequest',
    ...(configuration === undefined ? { scope: scopes.join(',') } : { config_id: configuration }),
  });
  return `${DIALOG}/${graphVersion(app)}/dialog/oauth?${query.toString()}`;
}

/** A user who logged in, with a long-lived token. */
export interface FacebookUser {
  /** App-scoped. */
  id: string;
  name: string;
  picture_url: string | null;
  token: string;
  /** When the token expires, epoch milliseconds. */
  expires_at: number;
  scopes: string[];
}

export interface LoginContext extends ConnectContext {
  app: AppCredentials;
  /** The platform as users know it. */
  platform: string;
}

/**
 * Exchanges an authorization code for a long-lived token, and reads who logged in and what was granted. Throws
 * PlatformError `rejected`, which names the permissions of `required` that are missing.
 */
export async function loginWithFacebook(
  { code, redirect_uri, required }: { code: string; redirect_uri: string; required: readonly string[] },
  context: LoginContext,
): Promise<FacebookUser> {
  try {
    const short = await exchange(context, { redirect_uri, code }, 'Exchanging the authorization code');
    // At once: Page tokens that come from a short-lived token die with it.
    const { access_token: token, expires_at } = await extendUserToken(short.access_token, context);
    const client = userClient(token, context);
    const scopes = await grantedPermissions(client);
    assertPermissions(context.platform, required, scopes);
    return { ...(await readUser(client)), token, expires_at, scopes };
  } catch (error) {
    return rejectForGood(error);
  }
}

/** Exchanges a valid user token for a long-lived one. Throws GraphFailure `token_expired` where it has expired. */
export async function extendUserToken(
  token: string,
  context: LoginContext,
): Promise<{ access_token: string; expires_at: number }> {
  const query = { grant_type: 'fb_exchange_token', fb_exchange_token: token };
  const issued = await exchange(context, query, 'Extending the user token');
  return { access_token: issued.access_token, expires_at: longLivedUntil(issued, context.now()) };
}

/** Ends the app's access to everything of the user, all of its Pages included. */
export async function revokeUser(user: { id: string; token: string }, context: LoginContext): Promise<void> {
  await userClient(user.token, context).call(
    {
      what: 'Revoking the permissions',
      purpose: 'prepare',
      method: 'DELETE',
      path: `/${user.id}/permissions`,
    },
    SuccessSchema,
  );
}

/** Returns a client that acts as the user. */
export function userClient(token: string, { http, now, app, platform }: LoginContext): GraphClient {
  const api = facebookApi(app, { platform, errors: [] });
  return graphClient({ http, now, api, token, appSecret: app.client_secret });
}

function exchange(context: LoginContext, query: Record<string, string>, what: string): Promise<IssuedToken> {
  const { app, platform } = context;
  const { client_id, client_secret } = app;
  return requestToken(
    context,
    {
      what,
      platform,
      method: 'GET',
      url: `${graphRoot(app)}/oauth/access_token`,
      query: { client_id, client_secret, ...query },
    },
    TokenSchema,
  );
}

const UserSchema = v.object({
  id: GraphId,
  name: v.string(),
  // Optional for us: an unusable picture must not fail the connect.
  picture: v.fallback(v.nullish(v.object({ data: v.object({ url: v.string() }) }), null), null),
});

/** Reads who the user of the token is. */
export async function readUser(
  client: GraphClient,
): Promise<Pick<FacebookUser, 'id' | 'name' | 'picture_url'>> {
  const { id, name, picture } = await client.call(
    {
      what: 'Reading the account',
      purpose: 'read',
      method: 'GET',
      path: '/me',
      query: { fields: 'id,name,picture.type(large){url}' },
    },
    UserSchema,
  );
  return { id, name, picture_url: picture?.data.url ?? null };
}
