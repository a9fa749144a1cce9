import { notFound } from '../../shared/http/errors.ts';
import type { Profile } from '../../shared/model/profile.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { findProfileByName } from '../../shared/store/profiles.ts';

/** Returns the profile with this name in the caller's workspace. Throws 404 where there is none. */
export async function findProfile(
  { table }: Services,
  { workspace_id }: Principal,
  name: string,
): Promise<Profile> {
  const profile = await findProfileByName(table, workspace_id, name);
  if (!profile) throw notFound('Profile');
  return profile;
}
