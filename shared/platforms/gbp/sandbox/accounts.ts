import type { Context, Hono } from 'hono';
import {
  ACCOUNTS_HOST,
  accountsOf,
  authorize,
  LOCATIONS_HOST,
  pageOf,
  STANDING_HOST,
  type Guard,
} from './access.ts';
import { badRequest, notFound } from './errors.ts';
import { protoJson } from './proto-json.ts';
import { switchesOf } from './state.ts';
import { NEW_OWNER, type BusinessAccount, type BusinessLocation, type User } from './users.ts';

/** Accounts, locations, and whether posts on a location become visible. */
export function addAccounts(app: Hono, guard: Guard): void {
  app.get(`/${ACCOUNTS_HOST}/v1/accounts`, c => {
    const user = authorize(c, guard, ACCOUNTS_HOST);
    const { items, nextPageToken } = pageOf(c, accountsNow(guard, user), { default: 20, max: 20 });
    return protoJson({ accounts: items.map(accountView), nextPageToken });
  });
  app.get(`/${LOCATIONS_HOST}/v1/accounts/:account/locations`, c => listLocations(c, guard));
  app.get(`/${STANDING_HOST}/v1/locations/:id/VoiceOfMerchantState`, c => {
    const user = authorize(c, guard, STANDING_HOST);
    const location = user.locations.find(({ id }) => id === c.req.param('id'));
    return protoJson(standingOf(location ?? notFound()));
  });
}

function accountsNow({ state }: Guard, user: User): BusinessAccount[] {
  const moved: BusinessAccount = { id: NEW_OWNER, name: 'New owner', type: 'ORGANIZATION', role: 'OWNER' };
  return [...user.accounts, ...(switchesOf(state, user).moved ? [moved] : [])];
}

const accountView = ({ id, name, type, role }: BusinessAccount) => ({
  name: `accounts/${id}`,
  accountName: name,
  type,
  role,
  ...(type === 'PERSONAL' ? {} : { permissionLevel: 'OWNER_LEVEL' }),
  verificationState: 'UNVERIFIED',
  vettedState: 'NOT_VETTED',
});

const MASKS = [
  'name',
  'title',
  'storeCode',
  'storefrontAddress',
  'websiteUri',
  'phoneNumbers',
  'languageCode',
  'metadata',
  'openInfo',
];

function listLocations(c: Context, guard: Guard): Response {
  const user = authorize(c, guard, LOCATIONS_HOST);
  const mask = (c.req.query('readMask') ?? '').split(',').filter(Boolean);
  if (mask.length === 0) badRequest('read_mask', 'read_mask is required');
  if (mask.some(each => !MASKS.includes(each))) badRequest('read_mask', 'Invalid field mask provided');
  const account = c.req.param('account');
  if (account === undefined || !accountsNow(guard, user).some(({ id }) => id === account)) return notFound();
  const listed = user.locations.filter(each => accountsOf(guard.state, user, each).includes(account));
  const { items, nextPageToken } = pageOf(c, listed, { default: 10, max: 100 });
  const masked = items.map(each =>
    Object.fromEntries(Object.entries(locationView(each)).filter(([name]) => mask.includes(name))),
  );
  return protoJson({ locations: masked, nextPageToken });
}

const locationView = ({ id, title, address, language, problem }: BusinessLocation) => ({
  name: `locations/${id}`,
  title,
  storeCode: 'B1',
  languageCode: language,
  storefrontAddress: {
    regionCode: 'US',
    languageCode: language,
    postalCode: '94043',
    administrativeArea: 'CA',
    locality: 'Mountain View',
    addressLines: [address],
  },
  websiteUri: 'https://example.com/',
  phoneNumbers: { primaryPhone: '(650) 555-0100' },
  openInfo: { status: 'OPEN', canReopen: true },
  metadata: {
    placeId: `ChIJ${id}`,
    mapsUri: mapsUrl(id),
    newReviewUri: `https://search.google.com/local/writereview?placeid=ChIJ${id}`,
    hasVoiceOfMerchant: problem === null,
  },
});

export const mapsUrl = (locationId: string) => `https://maps.google.com/maps?cid=${locationId}`;

function standingOf({ problem }: BusinessLocation) {
  const standings = {
    unverified: { hasBusinessAuthority: true, verify: {} },
    pending: { hasBusinessAuthority: true, verify: { hasPendingVerification: true } },
    suspended: {
      hasBusinessAuthority: true,
      complyWithGuidelines: { recommendationReason: 'BUSINESS_LOCATION_SUSPENDED' },
    },
    conflict: { resolveOwnershipConflict: {} },
  };
  return problem === null ? { hasVoiceOfMerchant: true, hasBusinessAuthority: true } : standings[problem];
}
