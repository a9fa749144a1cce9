import {
  defineConnector,
  type AccountIdentity,
  type ConnectContext,
  type OAuthWay,
  type Target,
} from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { GoogleCredentialsSchema, type GoogleCredentials } from '../families/google/credentials.ts';
import {
  checkGoogleApp,
  exchangeGoogleCode,
  googleAuthorizeUrl,
  renewGoogleTokens,
  revokeGoogleGrant,
} from '../families/google/oauth.ts';
import type { GoogleScope } from '../families/google/scopes.ts';
import type { Caller } from './call.ts';
import {
  listAccounts,
  listLocations,
  problemOfLocation,
  type BusinessAccount,
  type Location,
} from './locations.ts';
import { profilePhoto } from './gallery.ts';

/** Covers every call of all Business Profile APIs. */
const MANAGE: GoogleScope = {
  scope: 'https://www.googleapis.com/auth/business.manage',
  purpose: 'managing business listings on Google',
};

/** Most locations that an error explains. */
const MAX_EXPLAINED = 10;

/** A login stands for a Google user; the locations that the user manages are the targets. */
const oauth: OAuthWay<GoogleCredentials> = {
  kind: 'oauth',
  id: 'oauth',
  scopes: [MANAGE.scope],

  authorizeUrl: input => googleAuthorizeUrl(input, [MANAGE]),

  async exchange(input, context) {
    const grant = await exchangeGoogleCode(input, [MANAGE], context);
    const caller = callerOf(grant.credentials, context);
    const accounts = await listAccounts(caller);
    const locations = await listLocations(caller, accounts);
    await assertPublishable(caller, locations);
    return { ...grant, account: await identityOf(caller, accounts, locations) };
  },
};

export const connector = defineConnector<GoogleCredentials>({
  credentials: GoogleCredentialsSchema,
  ways: [oauth],
  targets: 'required',
  checkApp: checkGoogleApp,
  renew: ({ app, credentials }, context) => renewGoogleTokens(app, credentials, context),
  revoke: ({ credentials }, context) => revokeGoogleGrant(credentials, context),

  async listTargets({ credentials }, context) {
    const caller = callerOf(credentials, context);
    const locations = await listLocations(caller, await listAccounts(caller));
    await assertPublishable(caller, locations);
    return locations.map(location => targetOf(location, locations));
  },
});

const callerOf = ({ access_token }: GoogleCredentials, { http, now }: ConnectContext): Caller => ({
  http,
  token: access_token,
  now,
});

/** The personal account stands for the user. Only a single location lends its picture to the account. */
async function identityOf(
  caller: Caller,
  accounts: readonly BusinessAccount[],
  [location, ...others]: readonly Location[],
): Promise<AccountIdentity> {
  const user = accounts.find(({ type }) => type === 'PERSONAL') ?? accounts[0];
  if (!user) throw noLocation();
  return {
    platform_user_id: user.name,
    display_name: user.accountName || user.name,
    username: null,
    avatar_url: location && others.length === 0 ? await profilePhoto(caller, location.parent) : null,
  };
}

/** Throws PlatformError `rejected` that says what is wrong with each location, unless posts are visible on one of them. */
async function assertPublishable(caller: Caller, locations: readonly Location[]): Promise<void> {
  if (locations.length === 0) throw noLocation();
  if (locations.some(({ is_confirmed }) => is_confirmed)) return;
  const explained: string[] = [];
  for (const { id, title } of locations.slice(0, MAX_EXPLAINED)) {
    const problem = await problemOfLocation(caller, id);
    if (problem === null) return;
    explained.push(`${title} (${problem})`);
  }
  const further = locations.length - explained.length;
  const list = `${explained.join(', ')}${further > 0 ? ` and ${further} more` : ''}`;
  throw new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message: `Google shows no posts on the locations of this account: ${list}. Verify or restore a location at https://business.google.com/locations, then connect again`,
  });
}

const noLocation = () =>
  new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message:
      'The Google account manages no business location. Create a Business Profile or ask its owner for access, then connect again',
  });

/** Locations of a chain share their title: the address tells them apart. */
function targetOf(
  { id, parent, title, address, language, maps_url, is_confirmed }: Location,
  all: readonly Location[],
): Target {
  const isUnique = all.filter(other => other.title === title).length === 1;
  return {
    id,
    name: isUnique || address === '' ? title : `${title} (${address})`,
    attributes: {
      parent,
      language,
      ...(maps_url === null ? {} : { maps_url }),
      ...(is_confirmed ? {} : { unconfirmed: 'true' }),
    },
    secrets: null,
  };
}
