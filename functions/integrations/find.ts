import { assertCreator } from '../../shared/http/access.ts';
import { notFound } from '../../shared/http/errors.ts';
import { readPlatformId, type PlatformId } from '../../shared/model/platform.ts';
import type { Connection, Profile } from '../../shared/model/profile.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getConnection, listConnections } from '../../shared/store/connections.ts';
import { findProfileByName, getProfile } from '../../shared/store/profiles.ts';

/** Returns the caller's account with this id. Throws 404, also for one of another workspace. */
export async function findAccount(services: Services, principal: Principal, id: string): Promise<Connection> {
  const accounts = await listConnections(services.table, principal.workspace_id);
  const connection = accounts.find(each => each.id === id);
  if (!connection) throw notFound('Account');
  return connection;
}

/** Returns an account that the caller may change: owners any, members those of profiles they created. Throws 404 or 403. */
export async function findOwnAccount(
  services: Services,
  principal: Principal,
  id: string,
): Promise<Connection> {
  const account = await findAccount(services, principal, id);
  const profile = await getProfile(services.table, principal.workspace_id, account.profile_id);
  assertCreator(principal, profile?.created_by ?? null, 'profiles');
  return account;
}

/** Returns the platform of a path parameter. Throws 404. */
export function findPlatform(name: string): PlatformId {
  const platform = readPlatformId(name);
  if (!platform) throw notFound('Platform');
  return platform;
}

/** Returns the caller's profile of this name. Throws 404. */
export async function findProfile(services: Services, principal: Principal, name: string): Promise<Profile> {
  const profile = await findProfileByName(services.table, principal.workspace_id, name);
  if (!profile) throw notFound('Profile');
  return profile;
}

/** Returns the account of a profile on a platform. Throws 404. */
export async function findProfileAccount(
  services: Services,
  principal: Principal,
  profileName: string,
  platform: PlatformId,
): Promise<Connection> {
  const profile = await findProfile(services, principal, profileName);
  const account = await getConnection(services.table, principal.workspace_id, profile.id, platform);
  if (!account) throw notFound('Account');
  return account;
}
