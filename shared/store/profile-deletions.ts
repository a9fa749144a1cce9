import { DeleteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { MINUTE } from '../time/instant.ts';
import { wakeShard, workspaceKey, type Key, type Table } from './table.ts';

const PREFIX = 'PROFILE-DELETION#';

/** A deleted profile whose content is still being deleted. */
const ProfileDeletionSchema = v.object({
  workspace_id: v.string(),
  profile_id: v.string(),
  started_at: v.number(),
});
export type ProfileDeletion = v.InferOutput<typeof ProfileDeletionSchema>;
export type ProfileRef = Pick<ProfileDeletion, 'workspace_id' | 'profile_id'>;

/**
 * Delay of the final pass, milliseconds. A request that read the profile just before its deletion may still store
 * content for it, but ends within 30 s.
 */
export const FINAL_PASS_DELAY_MS = MINUTE;

const deletionKey = ({ workspace_id, profile_id }: ProfileRef): Key => ({
  PK: workspaceKey(workspace_id),
  SK: PREFIX + profile_id,
});

/** Returns the item that is stored with the deletion. The sweeper finds it until all content is deleted. */
export function deletionItem(deletion: ProfileDeletion): Key & Record<string, unknown> {
  return {
    ...deletionKey(deletion),
    ...deletion,
    wake_shard: wakeShard(deletion.profile_id),
    wake_at: deletion.started_at + FINAL_PASS_DELAY_MS,
  };
}

/** Returns the deletion that a key of the wake index names, or null for a key of another aggregate. */
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

/** Removes the deletion record once all content is deleted. */
export async function endDeletion(table: Table, ref: ProfileRef): Promise<void> {
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: deletionKey(ref) }));
}
