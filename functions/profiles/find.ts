import { forbidden, notFound } from '../../shared/http/errors.ts';
import type { Profile } from '../../shared/model/profile.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getProfile } from '../../shared/store/profiles.ts';

/** The caller's profile of this id. Throws 404, also for one of another workspace. */
export async function findProfile(services: Services, principal: Principal, id: string): Promise<Profile> {
  const profile = await getProfile(services.table, principal.workspace_id, id);
  if (!profile) throw notFound('Profile');
  return profile;
}

/**
 * A profile that the caller may change: owners all, members those that they created. A profile from before creators
 * were noted is nobody's. Throws 404 and 403.
 */
export async function findOwnProfile(services: Services, principal: Principal, id: string): Promise<Profile> {
  const profile = await findProfile(services, principal, id);
  if (principal.role === 'owner' || profile.created_by === principal.user_id) return profile;
  throw forbidden('Members can modify only their own profiles: those that they created');
}
