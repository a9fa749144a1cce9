import { assertCreator } from '../../shared/http/access.ts';
import { notFound } from '../../shared/http/errors.ts';
import type { Profile } from '../../shared/model/profile.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getProfile } from '../../shared/store/profiles.ts';

/** Returns a profile of the caller's workspace. Throws 404, also for a profile of another workspace. */
export async function findProfile(services: Services, principal: Principal, id: string): Promise<Profile> {
  const profile = await getProfile(services.table, principal.workspace_id, id);
  if (!profile) throw notFound('Profile');
  return profile;
}

/**
 * Returns a profile that the caller may change: owners any, members the ones they created. Legacy profiles without a
 * creator belong to the owners. Throws 404 or 403.
 */
export async function findOwnProfile(services: Services, principal: Principal, id: string): Promise<Profile> {
  const profile = await findProfile(services, principal, id);
  assertCreator(principal, profile.created_by, 'profiles');
  return profile;
}
