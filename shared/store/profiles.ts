import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { ProfileSchema, type Profile } from '../model/profile.ts';
import { counterChange, readCounter } from './counters.ts';
import { deletionItem } from './profile-deletions.ts';
import { allOf, getItems } from './query.ts';
import { workspaceKey, type Key, type Table } from './table.ts';
import { newItem, transact, type TransactItem } from './transact.ts';

const profileKey = (workspaceId: string, id: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: `PROFILE#${id}`,
});
/** Uniqueness guards, one item for each name. They hold the profile, so that a post finds it by name in one read. */
const usernameKey = ({ workspace_id, username }: Pick<Profile, 'workspace_id' | 'username'>): Key => ({
  PK: workspaceKey(workspace_id),
  SK: `USERNAME#${namePart(username)}`,
});
const nameKey = ({ workspace_id, profile_name }: Pick<Profile, 'workspace_id' | 'profile_name'>): Key => ({
  PK: workspaceKey(workspace_id),
  SK: `NAME#${namePart(profile_name)}`,
});
/** Number of profiles. */
const countKey = (workspaceId: string): Key => ({ PK: workspaceKey(workspaceId), SK: 'COUNT#PROFILES' });

/**
 * Two names are the same when they differ only in case or compatible spelling: Unicode NFKC and full case folding
 * (ß and ẞ are ss, final sigma is sigma). Lower, upper and lower case in turn fold every letter but the dotless i.
 */
function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[^ı]/gu, letter => letter.toLowerCase().toUpperCase().toLowerCase())
    .normalize('NFKC')
    .trim();
}

/** Well below DynamoDB's 1,024 bytes for a sort key. */
const MAX_NAME_BYTES = 512;

/** A folded name as part of a key. Names that are too long after folding are replaced by their hash. */
function namePart(name: string): string {
  const folded = foldName(name);
  if (Buffer.byteLength(folded) <= MAX_NAME_BYTES) return folded;
  return `sha256:${createHash('sha256').update(folded).digest('hex')}`;
}

/**
 * Stores a profile, its name guards and the new count in one transaction. `limit` is the number of profiles that the
 * plan allows. A profile with this id was created by an earlier run of the same request, which counts as success.
 */
export async function createProfile(
  table: Table,
  profile: Profile,
  limit: number | null = null,
): Promise<'created' | 'taken' | 'limit'> {
  const keys = [profileKey(profile.workspace_id, profile.id), usernameKey(profile), nameKey(profile)];
  const failed = await transact(table, [
    counterChange(table, countKey(profile.workspace_id), 1, limit),
    ...keys.map(key => newItem(table, { ...key, ...profile })),
  ]);
  if (failed.length === 0 || failed.includes(1)) return 'created';
  return failed.includes(0) ? 'limit' : 'taken';
}

/** Renames a profile. `stale`: it was changed or deleted since `profile` was read. */
export async function renameProfile(
  table: Table,
  profile: Profile,
  names: Pick<Profile, 'username' | 'profile_name'>,
): Promise<'renamed' | 'taken' | 'stale'> {
  const renamed = { ...profile, ...names };
  const failed = await transact(table, [
    {
      Put: {
        TableName: table.name,
        Item: { ...profileKey(profile.workspace_id, profile.id), ...renamed },
        ...unchanged(profile),
      },
    },
    ...moveGuard(table, usernameKey(profile), usernameKey(renamed), renamed),
    ...moveGuard(table, nameKey(profile), nameKey(renamed), renamed),
  ]);
  if (failed.length === 0) return 'renamed';
  return failed.includes(0) ? 'stale' : 'taken';
}

/**
 * Deletes a profile, frees its names, decrements the count and stores the deletion record that the housekeeper works
 * off. False when the profile was changed or deleted since it was read.
 */
export async function beginDeletion(table: Table, profile: Profile, now: number): Promise<boolean> {
  const { workspace_id, id } = profile;
  const failed = await transact(table, [
    { Delete: { TableName: table.name, Key: profileKey(workspace_id, id), ...unchanged(profile) } },
    { Delete: { TableName: table.name, Key: usernameKey(profile) } },
    { Delete: { TableName: table.name, Key: nameKey(profile) } },
    counterChange(table, countKey(workspace_id), -1, null),
    newItem(table, deletionItem({ workspace_id, profile_id: id, started_at: now })),
  ]);
  return failed.length === 0;
}

/** Condition: the profile still has the names that it was read with. */
const unchanged = ({ username, profile_name }: Profile) => ({
  ConditionExpression: 'username = :username AND profile_name = :name',
  ExpressionAttributeValues: { ':username': username, ':name': profile_name },
});

/** Guards hold the whole profile, so both change with either name. */
function moveGuard(table: Table, from: Key, to: Key, profile: Profile): TransactItem[] {
  if (from.SK !== to.SK) {
    return [{ Delete: { TableName: table.name, Key: from } }, newItem(table, { ...to, ...profile })];
  }
  return [{ Put: { TableName: table.name, Item: { ...to, ...profile } } }];
}

/** Reads a profile with strong consistency. */
export async function getProfile(table: Table, workspaceId: string, id: string): Promise<Profile | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: profileKey(workspaceId, id), ConsistentRead: true }),
  );
  return Item ? v.parse(ProfileSchema, Item) : null;
}

/** Returns the number of profiles of a workspace. */
export const countProfiles = (table: Table, workspaceId: string): Promise<number> =>
  readCounter(table, countKey(workspaceId));

/** Lists all profiles of a workspace; the plan limits their number. */
export function listProfiles(table: Table, workspaceId: string): Promise<Profile[]> {
  return allOf(table, { workspace_id: workspaceId, prefix: 'PROFILE#' }, ProfileSchema);
}

/** Finds the profile that a post names: an exact `profile_name` first, then an exact `username`. */
export async function findProfileByName(
  table: Table,
  workspaceId: string,
  nameInRequest: string,
): Promise<Profile | null> {
  const name = nameInRequest.normalize('NFC');
  if (foldName(name) === '') return null;
  const ref = { workspace_id: workspaceId, profile_name: name, username: name };
  const found = await getItems(table, [nameKey(ref), usernameKey(ref)], ProfileSchema);
  return (
    found.find(profile => profile.profile_name === name) ??
    found.find(profile => profile.username === name) ??
    null
  );
}
