import * as v from 'valibot';
import {
  ACCOUNTS_API,
  LOCATIONS_API,
  NextPageToken,
  readPages,
  send,
  STANDING_API,
  withPageToken,
  type Caller,
} from './call.ts';
import { isDenied, isMissing } from './errors.ts';

/* Accounts and locations. */

/** The largest pages that Google sends. */
const ACCOUNT_PAGE = '20';
const LOCATION_PAGE = '100';
const READ_MASK = 'name,title,languageCode,storefrontAddress,metadata';

const text = v.optional(v.fallback(v.string(), ''), '');

const AccountSchema = v.object({
  name: v.pipe(v.string(), v.regex(/^accounts\/\d+$/)),
  accountName: text,
  type: text,
  role: text,
});
export type BusinessAccount = v.InferOutput<typeof AccountSchema>;

const LocationSchema = v.object({
  name: v.pipe(v.string(), v.regex(/^locations\/\d+$/)),
  title: text,
  languageCode: text,
  storefrontAddress: v.optional(
    v.object({ locality: text, addressLines: v.fallback(v.optional(v.array(v.string()), []), []) }),
    {},
  ),
  metadata: v.optional(
    v.object({
      mapsUri: text,
      /** Whether edits and posts become visible. Google leaves out `false`. */
      hasVoiceOfMerchant: v.optional(v.fallback(v.boolean(), false), false),
    }),
    {},
  ),
});

/** A location and the account that it was listed under. */
export interface Location {
  /** Digits. */
  id: string;
  /** Name in the API of posts: `accounts/{id}/locations/{id}`. */
  parent: string;
  title: string;
  /** On one line; empty where the business has no address. */
  address: string;
  /** BCP 47. */
  language: string;
  maps_url: string | null;
  /** False where posts may not become visible. */
  is_confirmed: boolean;
}

export function listAccounts(caller: Caller): Promise<BusinessAccount[]> {
  const schema = v.object({
    accounts: v.optional(v.array(AccountSchema), []),
    nextPageToken: NextPageToken,
  });
  return readPages(async pageToken => {
    const query = withPageToken({ pageSize: ACCOUNT_PAGE }, pageToken);
    const call = { what: 'Reading the business accounts', purpose: 'read', method: 'GET' } as const;
    const page = await send(caller, { ...call, url: `${ACCOUNTS_API}/accounts`, query }, schema);
    return { items: page.accounts, next: page.nextPageToken };
  });
}

function listLocationsOf(caller: Caller, { name: account }: BusinessAccount): Promise<Location[]> {
  const schema = v.object({
    locations: v.optional(v.array(LocationSchema), []),
    nextPageToken: NextPageToken,
  });
  return readPages(async pageToken => {
    const query = withPageToken({ readMask: READ_MASK, pageSize: LOCATION_PAGE }, pageToken);
    const call = { what: 'Reading the locations', purpose: 'read', method: 'GET' } as const;
    const page = await send(caller, { ...call, url: `${LOCATIONS_API}/${account}/locations`, query }, schema);
    return { items: page.locations.map(each => locationOf(account, each)), next: page.nextPageToken };
  });
}

function locationOf(
  account: string,
  { name, title, languageCode, storefrontAddress, metadata }: v.InferOutput<typeof LocationSchema>,
): Location {
  const { addressLines, locality } = storefrontAddress;
  return {
    id: name.slice('locations/'.length),
    parent: `${account}/${name}`,
    title: title || name,
    address: [...addressLines, locality].filter(Boolean).join(', '),
    language: languageCode || 'en',
    maps_url: metadata.mapsUri || null,
    is_confirmed: metadata.hasVoiceOfMerchant,
  };
}

/**
 * Returns the locations of all accounts, each once: under a group or organization that the user owns or manages where
 * there is one, since a personal account may lose a location that the group keeps.
 */
export async function listLocations(
  caller: Caller,
  accounts: readonly BusinessAccount[],
): Promise<Location[]> {
  const found = new Map<string, Location>();
  for (const account of [
    ...accounts.filter(isManagedGroup),
    ...accounts.filter(each => !isManagedGroup(each)),
  ]) {
    for (const location of await accessibleLocations(caller, account)) {
      if (!found.has(location.id)) found.set(location.id, location);
    }
  }
  return [...found.values()];
}

/** An account that denies the list must not hide the locations of others. */
async function accessibleLocations(caller: Caller, account: BusinessAccount): Promise<Location[]> {
  try {
    return await listLocationsOf(caller, account);
  } catch (error) {
    if (isDenied(error) || isMissing(error)) return [];
    throw error;
  }
}

const isManagedGroup = ({ type, role }: BusinessAccount) =>
  ['LOCATION_GROUP', 'ORGANIZATION'].includes(type) && ['PRIMARY_OWNER', 'OWNER', 'MANAGER'].includes(role);

const StandingSchema = v.object({
  hasVoiceOfMerchant: v.optional(v.boolean(), false),
  verify: v.optional(v.object({ hasPendingVerification: v.optional(v.boolean(), false) })),
  waitForVoiceOfMerchant: v.optional(v.unknown()),
  resolveOwnershipConflict: v.optional(v.unknown()),
  complyWithGuidelines: v.optional(v.object({ recommendationReason: text })),
});

/** Returns why posts on a location do not become visible, in words; null where they do, or Google does not say. */
export async function problemOfLocation(caller: Caller, locationId: string): Promise<string | null> {
  const url = `${STANDING_API}/locations/${locationId}/VoiceOfMerchantState`;
  const call = { what: 'Reading the state of the location', purpose: 'read', method: 'GET', url } as const;
  try {
    return reasonOf(await send(caller, call, StandingSchema));
  } catch (error) {
    if (isDenied(error) || isMissing(error)) return null;
    throw error;
  }
}

function reasonOf(standing: v.InferOutput<typeof StandingSchema>): string | null {
  if (standing.hasVoiceOfMerchant) return null;
  if (standing.complyWithGuidelines) {
    return standing.complyWithGuidelines.recommendationReason.includes('DISABLED') ? 'disabled' : 'suspended';
  }
  if (standing.resolveOwnershipConflict !== undefined) return 'claimed by another owner';
  if (standing.verify?.hasPendingVerification === true) return 'not verified, verification is pending';
  if (standing.waitForVoiceOfMerchant !== undefined) return 'under review by Google';
  return 'not verified';
}
