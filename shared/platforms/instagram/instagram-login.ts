import * as v from 'valibot';
import { DAY, HOUR, SECOND } from '../../time/instant.ts';
import { multipart } from '../../net/multipart.ts';
import type {
  AppCredentials,
  ConnectContext,
  Grant,
  Lifetime,
  OAuthWay,
  Renewal,
} from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { GraphId } from '../families/meta/json.ts';
import { assertPermissions } from '../families/meta/permissions.ts';
import {
  longLivedUntil,
  rejectForGood,
  requestToken,
  TokenSchema,
  type IssuedToken,
} from '../families/meta/tokens.ts';
import { graphClient, type GraphClient } from '../families/meta/graph.ts';
import { renewableUntil } from '../kit/lifetime.ts';
import { accessesOf, apiOf } from './access.ts';
import { publishingLimit } from './containers.ts';
import type { Credentials } from './credentials.ts';

/* Instagram Login: needs no Facebook Page. Its tokens belong to graph.instagram.com. */

const AUTHORIZE = 'https://www.instagram.com/oauth/authorize';
const EXCHANGE = 'https://api.instagram.com/oauth/access_token';
/** These two calls have no version. */
const GRAPH = 'https://graph.instagram.com';

const REQUIRED = ['instagram_business_basic', 'instagram_business_content_publish'];
const SCOPES = [...REQUIRED, 'instagram_business_manage_comments', 'instagram_business_manage_insights'];

/** Instagram refuses to renew a token that is younger than a day. */
const MIN_AGE_MS = DAY + HOUR;

export const instagramLogin: OAuthWay<Credentials> = {
  kind: 'oauth',
  id: 'instagram',
  scopes: SCOPES,
  targets: 'none',

  authorizeUrl({ app, state, redirect_uri }) {
    const query = new URLSearchParams({
      client_id: app.client_id,
      redirect_uri,
      response_type: 'code',
      scope: SCOPES.join(','),
      state,
    });
    return `${AUTHORIZE}?${query.toString()}`;
  },

  async exchange({ app, code, redirect_uri }, context) {
    const short = await exchangeCode(app, { code, redirect_uri }, context).catch(rejectForGood);
    if (short.permissions) assertPermissions('Instagram', REQUIRED, short.permissions);
    const issued = await extend(app, short.access_token, context).catch(rejectForGood);
    return grantOf(app, issued, short.permissions ?? SCOPES, context);
  },
};

const ShortTokenSchema = v.object({
  access_token: v.pipe(v.string(), v.nonEmpty()),
  permissions: v.optional(
    v.union([
      v.array(v.string()),
      v.pipe(
        v.string(),
        v.transform(list =>
          list
            .split(',')
            .map(name => name.trim())
            .filter(Boolean),
        ),
      ),
    ]),
  ),
});
/** Documented within `data`, observed without it. */
const ExchangeSchema = v.union([
  v.pipe(
    v.object({ data: v.tuple([ShortTokenSchema]) }),
    v.transform(({ data: [token] }) => token),
  ),
  ShortTokenSchema,
]);

/** Exchanges the authorization code for a token of an hour. Instagram's sample is a multipart form. */
function exchangeCode(
  { client_id, client_secret }: AppCredentials,
  { code, redirect_uri }: { code: string; redirect_uri: string },
  context: ConnectContext,
) {
  const grant = { client_id, client_secret, grant_type: 'authorization_code', redirect_uri };
  // The redirect ends with `#_`, which is no part of the code.
  const { contentType, body } = multipart({ ...grant, code: code.replace(/#_$/, '') }, {});
  return requestToken(
    context,
    {
      what: 'Exchanging the authorization code',
      platform: 'Instagram',
      method: 'POST',
      url: EXCHANGE,
      headers: { 'content-type': contentType },
      body,
    },
    ExchangeSchema,
  );
}

/** Exchanges a token of an hour for one of 60 days. */
function extend(app: AppCredentials, token: string, context: ConnectContext): Promise<IssuedToken> {
  const query = {
    grant_type: 'ig_exchange_token',
    client_secret: app.client_secret,
    access_token: token,
  };
  const what = 'Exchanging the token for a long-lived one';
  return requestToken(
    context,
    { what, platform: 'Instagram', method: 'GET', url: `${GRAPH}/access_token`, query },
    TokenSchema,
  );
}

async function grantOf(
  app: AppCredentials,
  issued: IssuedToken,
  scopes: readonly string[],
  context: ConnectContext,
): Promise<Grant<Credentials>> {
  const credentials: Credentials = { login: 'instagram', access_token: issued.access_token };
  const identity = await readIdentity(clientOf(app, issued.access_token, context));
  assertProfessional(identity);
  const id = identity.user_id ?? identity.id;
  // Fails where the account cannot be published to.
  await publishingLimit(
    accessesOf({ ...context, app, credentials, account: { platform_user_id: id }, target: null }),
  );
  return {
    account: {
      platform_user_id: id,
      display_name: identity.name || identity.username,
      username: identity.username,
      avatar_url: identity.profile_picture_url,
    },
    credentials,
    scopes,
    attributes: { app_scoped_id: identity.id, account_type: identity.account_type },
    ...lifetimeOf(issued, context.now()),
  };
}

/** Renews a token that is older than a day and has not expired. Its picture URL expires too. */
export async function renewInstagramLogin(
  app: AppCredentials | null,
  token: string,
  context: ConnectContext,
): Promise<Renewal<Credentials>> {
  const query = { grant_type: 'ig_refresh_token', access_token: token };
  const issued = await requestToken(
    context,
    {
      what: 'Renewing the token',
      platform: 'Instagram',
      method: 'GET',
      url: `${GRAPH}/refresh_access_token`,
      query,
    },
    TokenSchema,
  );
  return {
    credentials: { login: 'instagram', access_token: issued.access_token },
    ...lifetimeOf(issued, context.now()),
    ...(await presentation(clientOf(app, issued.access_token, context))),
  };
}

const lifetimeOf = (issued: IssuedToken, now: number): Lifetime =>
  renewableUntil(longLivedUntil(issued, now), now, MIN_AGE_MS);

function clientOf(app: AppCredentials | null, token: string, { http, now }: ConnectContext): GraphClient {
  return graphClient({
    http,
    now,
    api: apiOf('instagram', app),
    token,
    appSecret: app?.client_secret ?? null,
  });
}

const text = v.fallback(v.nullish(v.string(), null), null);
const IdentityFields = v.object({
  /** Of the professional account: the one to publish with. */
  user_id: v.optional(GraphId),
  /** Of the account for this app. */
  id: GraphId,
  username: v.pipe(v.string(), v.nonEmpty()),
  name: v.fallback(v.optional(v.string(), ''), ''),
  account_type: v.fallback(v.optional(v.string(), ''), ''),
  profile_picture_url: text,
});
const IdentitySchema = v.union([
  v.pipe(
    v.object({ data: v.tuple([IdentityFields]) }),
    v.transform(({ data: [identity] }) => identity),
  ),
  IdentityFields,
]);
type Identity = v.InferOutput<typeof IdentityFields>;

function readIdentity(client: GraphClient): Promise<Identity> {
  const query = { fields: 'id,user_id,username,name,account_type,profile_picture_url' };
  const call = { what: 'Reading the account', purpose: 'read', method: 'GET', path: '/me', query } as const;
  return client.call({ ...call, timeoutMs: 15 * SECOND }, IdentitySchema);
}

const PROFESSIONAL = /^(?:business|media_creator)$/i;

function assertProfessional({ account_type: type, username }: Identity): void {
  if (type === '' || PROFESSIONAL.test(type)) return;
  throw new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message: `@${username} is a personal account: switch it to a Business or Creator account in the Instagram app, then connect again`,
  });
}

/** What the account looks like now; nothing where it cannot be read, because the new token must not be lost. */
async function presentation(client: GraphClient): Promise<Pick<Renewal<Credentials>, 'account'>> {
  try {
    const { username, name, profile_picture_url } = await readIdentity(client);
    return { account: { username, display_name: name || username, avatar_url: profile_picture_url } };
  } catch (error) {
    if (error instanceof PlatformError) return {};
    throw error;
  }
}
