import { notFound } from '../http/errors.ts';
import type { Profile } from '../model/profile.ts';
import type { Principal } from '../model/workspace.ts';
import type { Services } from '../runtime/services.ts';
import { findProfileByName } from '../store/profiles.ts';

/** Returns the profile that a request names in the caller's workspace. Throws 404 where there is none. */
export async function requireProfileByName(
  { table }: Pick<Services, 'table'>,
  { workspace_id }: Pick<Principal, 'workspace_id'>,
  name: string,
): Promise<Profile> {
  const profile = await findProfileByName(table, workspace_id, name);
  if (!profile) throw notFound('Profile');
  return profile;
}
