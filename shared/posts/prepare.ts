import { ApiError, notFound, validationFailed, type Detail } from '../http/errors.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Connection, Profile } from '../model/profile.ts';
import { RULES } from '../platforms/registry.ts';
import type { Services } from '../runtime/services.ts';
import { listConnections } from '../store/connections.ts';
import { findProfileByName } from '../store/profiles.ts';
import { bannedHashtags, type HashtagViolation } from './banned-hashtags.ts';
import { checkPost, contentOf, type CheckedPost, type PostInput } from './check.ts';
import { heldFileFaults } from './held-files.ts';
import type { CommonPostInput } from './input.ts';
import type { FieldWarning } from './warnings.ts';

/** A post that may be stored: everything checked, its profile and its accounts found. */
export interface PreparedPost {
  checked: CheckedPost;
  profile: Profile;
  connections: Connection[];
  warnings: FieldWarning[];
}

/** What a post is refused for. A banned hashtag is a violation, and a detail only where all faults are told as such. */
export interface PostFaults {
  details: Detail[];
  violations: HashtagViolation[];
}

/** A post with everything that is wrong with it; `profile` null where no profile has the name. */
export interface ExaminedPost extends PostFaults {
  checked: CheckedPost;
  profile: Profile | null;
  connections: Connection[];
}

/** Finds every fault of a post: of its fields, its accounts, its hashtags. `profile_name` null: it is not looked for. */
export async function examinePost(
  services: Services,
  workspaceId: string,
  input: PostInput & { profile_name: string | null },
): Promise<ExaminedPost> {
  const { profile_name } = input;
  const [{ post: checked, details }, profile] = await Promise.all([
    checkPost(input, services.now()),
    profile_name === null ? null : findProfileByName(services.table, workspaceId, profile_name),
  ]);
  const { platforms } = checked;
  const [violations, accounts] = await Promise.all([
    bannedHashtags(services, workspaceId, platforms, checked),
    profile ? listConnections(services.table, workspaceId, profile.id) : [],
  ]);
  if (!profile) return { checked, profile, connections: [], details, violations };
  const { connections, missing } = pickAccounts(accounts, platforms);
  return { checked, profile, connections, details: [...details, ...missing], violations };
}

/** Throws 400 with every fault, 404 when all is well but the profile's name. */
export async function preparePost(
  services: Services,
  workspaceId: string,
  input: CommonPostInput & Record<string, unknown>,
): Promise<PreparedPost> {
  const { checked, profile, connections, ...found } = await examinePost(services, workspaceId, input);
  const content = contentOf(input, checked);
  const { details, warnings } = await heldFileFaults(services.bucket, content, checked.platforms);
  const faults = { ...found, details: [...found.details, ...details] };
  if (faults.details.length + faults.violations.length > 0) {
    throw refused(profile ? faults : { ...faults, details: [UNKNOWN_PROFILE, ...faults.details] });
  }
  if (!profile) throw notFound('Profile');
  return { checked, profile, connections, warnings };
}

export const UNKNOWN_PROFILE: Detail = {
  field: 'profile_name',
  message: 'Profile not found',
  platform: null,
};

/** 400. Hashtags alone have a body of their own; beside other faults they are told both ways. */
export function refused({ details, violations }: PostFaults): ApiError {
  if (violations.length === 0) return validationFailed(details);
  if (details.length > 0) return validationFailed([...details, ...asDetails(violations)], { violations });
  return new ApiError({ status: 400, body: { error: 'The post carries banned hashtags', violations } });
}

/** Banned hashtags as faults like any other. */
export const asDetails = (violations: readonly HashtagViolation[]): Detail[] =>
  violations.map(({ field, message, platform }) => ({ field, message, platform }));

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
    else missing.push(noAccount(platform, accounts));
  }
  return { connections, missing };
}

/** Says what is to be done: an account that is there must be connected anew. */
function noAccount(platform: PlatformId, accounts: readonly Connection[]): Detail {
  const name = RULES[platform].display_name;
  const message = accounts.some(each => each.platform === platform)
    ? `The profile's connection to ${name} has expired: connect the account again`
    : `The profile has no active connection to ${name}: connect an account first`;
  return { field: 'platforms', message, platform };
}
