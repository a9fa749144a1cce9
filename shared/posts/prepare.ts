import { notFound, validationFailed, type Detail } from '../http/errors.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Connection, Profile } from '../model/profile.ts';
import { RULES } from '../platforms/registry.ts';
import type { Services } from '../runtime/services.ts';
import { listConnections } from '../store/connections.ts';
import { findProfileByName } from '../store/profiles.ts';
import { checkPost, type CheckedPost } from './check.ts';
import type { CommonPostInput } from './input.ts';

/** A post that may be stored: everything checked, its profile and its accounts found. */
export interface PreparedPost {
  checked: CheckedPost;
  profile: Profile;
  connections: Connection[];
}

/** A post with everything that is wrong with it; `profile` null where no profile has the name. */
export interface ExaminedPost {
  checked: CheckedPost;
  profile: Profile | null;
  connections: Connection[];
  details: Detail[];
}

export async function examinePost(
  services: Services,
  workspaceId: string,
  input: CommonPostInput & Record<string, unknown>,
): Promise<ExaminedPost> {
  const { post: checked, details } = await checkPost(input, services.now());
  const profile = await findProfileByName(services.table, workspaceId, input.profile_name);
  if (!profile) return { checked, profile, connections: [], details };
  const accounts = await listConnections(services.table, workspaceId, profile.id);
  const { connections, missing } = pickAccounts(accounts, checked.platforms);
  return { checked, profile, connections, details: [...details, ...missing] };
}

/** Throws 400 with every fault, 404 when all is well but the profile's name. */
export async function preparePost(
  services: Services,
  workspaceId: string,
  input: CommonPostInput & Record<string, unknown>,
): Promise<PreparedPost> {
  const { checked, profile, connections, details } = await examinePost(services, workspaceId, input);
  if (details.length > 0) throw validationFailed(details);
  if (!profile) throw notFound('Profile');
  return { checked, profile, connections };
}

/** The profile's account for each platform; a fault for each platform without a working one. */
function pickAccounts(
  accounts: readonly Connection[],
  platforms: readonly PlatformId[],
): { connections: Connection[]; missing: Detail[] } {
  const connections: Connection[] = [];
  const missing: Detail[] = [];
  for (const platform of platforms) {
    const account = accounts.find(each => each.platform === platform && !each.needs_reconnect);
    if (account) connections.push(account);
    else {
      const message = `The profile has no active connection to ${RULES[platform].display_name}`;
      missing.push({ field: 'platforms', message, platform });
    }
  }
  return { connections, missing };
}
