import { DeleteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { MINUTE } from '../time/instant.ts';
import { wakeShard, workspaceKey, type Key, type Table } from './table.ts';

const PREFIX = 'PROFILE-DELETION#';

/** A profile that is gone, while what belonged to it still goes. */
export const ProfileDeletionSchema = v.object({
  workspace_id: v.string(),
  profile_id: v.string(),
  started_at: v.number(),
});
export type ProfileDeletion = v.InferOutput<typeof ProfileDeletionSchema>;
export type ProfileRef = Pick<ProfileDeletion, 'workspace_id' | 'profile_id'>;

/**
 * A request that found the profile just before it went may still store something for it: requests end within half a
 * minute, so after a whole one a last pass finds whatever they left.
 */
export const LAST_PASS_AFTER = MINUTE;

const deletionKey = ({ workspace_id, profile_id }: ProfileRef): Key => ({
  PK: workspaceKey(workspace_id),
  SK: PREFIX + profile_id,
});

/** The deletion as it is put when the profile goes; the sweeper finds it until everything is gone. */
export function deletionItem(deletion: ProfileDeletion): Key & Record<string, unknown> {
  return {
    ...deletionKey(deletion),
    ...deletion,
    wake_shard: wakeShard(deletion.profile_id),
    wake_at: deletion.started_at + LAST_PASS_AFTER,
  };
}

/** The deletion that a key of the wake index names; null when the key is another aggregate's. */
export function deletionOfKey(key: Key): ProfileRef | null {
  if (!key.SK.startsWith(PREFIX)) return null;
  return { workspace_id: key.PK.slice(workspaceKey('').length), profile_id: key.SK.slice(PREFIX.length) };
}

export async function getDeletion(table: Table, ref: ProfileRef): Promise<ProfileDeletion | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: deletionKey(ref), ConsistentRead: true }),
  );
  return Item ? v.parse(ProfileDeletionSchema, Item) : null;
}

/** Everything is gone. */
export async function endDeletion(table: Table, ref: ProfileRef): Promise<void> {
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: deletionKey(ref) }));
}
