import { hasValidCredentials } from '../../shared/connections/renew.ts';
import { assertCreator } from '../../shared/http/access.ts';
import { notFound } from '../../shared/http/errors.ts';
import { isProfileVisible } from '../../shared/http/key-scope.ts';
import type { PlatformId } from '../../shared/model/platform.ts';
import type { Connection, Profile } from '../../shared/model/profile.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import { requireProfileByName } from '../../shared/profiles/by-name.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getConnection, listConnections } from '../../shared/store/connections.ts';
import { getProfile } from '../../shared/store/profiles.ts';

/**
 * Returns an account that the caller may change, and its profile (null where it was deleted): owners may change any,
 * members those of profiles they created. Throws 404, also for an account of another workspace, or 403.
 */
export async function findOwnAccount(
  { table }: Services,
  principal: Principal,
  id: string,
): Promise<{ account: Connection; profile: Profile | null }> {
  const accounts = await listConnections(table, principal.workspace_id);
  const account = accounts.find(each => each.id === id);
  if (!account) throw notFound('Account');
  const profile = await getProfile(table, principal.workspace_id, account.profile_id);
  assertCreator(principal, profile?.created_by ?? null, 'profiles');
  return { account, profile };
}

/** Returns the account of a profile on a platform. Throws 404. */
export async function findProfileAccount(
  services: Services,
  principal: Principal,
  profileName: string,
  platform: PlatformId,
): Promise<Connection> {
  const profile = await requireProfileByName(services, principal, profileName);
  const account = await getConnection(services.table, principal.workspace_id, profile.id, platform);
  if (!account) throw notFound('Account');
  return account;
}

/** Returns any account of the workspace on a platform that can be used, if possible. Throws 404 without one. */
export async function findAnyAccount(
  { table, now }: Services,
  principal: Principal,
  platform: PlatformId,
): Promise<Connection> {
  const accounts = (await listConnections(table, principal.workspace_id)).filter(
    account => account.platform === platform && isProfileVisible(principal, account.profile_id),
  );
  const account = accounts.find(each => hasValidCredentials(each, now())) ?? accounts[0];
  if (!account) throw notFound('Account');
  return account;
}
