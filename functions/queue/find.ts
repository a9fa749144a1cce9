import { notFound } from '../../shared/http/errors.ts';
import type { Profile } from '../../shared/model/profile.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { findProfileByName } from '../../shared/store/profiles.ts';

/** The caller's profile of this name. Throws 404, also for one of another workspace. */
export async function findProfile(
  { table }: Services,
  { workspace_id }: Principal,
  name: string,
): Promise<Profile> {
  const profile = await findProfileByName(table, workspace_id, name);
  if (!profile) throw notFound('Profile');
  return profile;
}
