import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { PlatformId } from '../model/platform.ts';
import { ttl, workspaceKey, type Key, type Table } from './table.ts';

/** Names one stored state of a destination's checkpoint. */
export interface CheckpointRef {
  workspace_id: string;
  post_id: string;
  platform: PlatformId;
  item: string;
}

const CheckpointItem = v.object({ data: v.string(), sealed: v.boolean() });

/** Compressed state in base64; encrypted where `sealed`. */
export type CheckpointData = v.InferOutput<typeof CheckpointItem>;

/** An item holds 400 KB, its keys included. */
const MAX_BYTES = 390_000;

const checkpointKey = ({ workspace_id, post_id, platform, item }: CheckpointRef): Key => ({
  PK: workspaceKey(workspace_id),
  SK: `CHECKPOINT#${post_id}#${platform}#${item}`,
});

/** Stores a checkpoint state until `expiresAt` (epoch ms). Throws when it does not fit into an item. */
export async function putCheckpoint(
  table: Table,
  ref: CheckpointRef,
  data: CheckpointData,
  expiresAt: number,
): Promise<void> {
  if (data.data.length > MAX_BYTES) {
    throw new Error(
      `The checkpoint of ${ref.platform} has ${data.data.length} bytes; the maximum is ${MAX_BYTES}`,
    );
  }
  const item = { ...checkpointKey(ref), ...data, expires_at: ttl(expiresAt) };
  await table.client.send(new PutCommand({ TableName: table.name, Item: item }));
}

/** Reads a checkpoint state consistently, or returns null. */
export async function getCheckpoint(table: Table, ref: CheckpointRef): Promise<CheckpointData | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: checkpointKey(ref), ConsistentRead: true }),
  );
  return Item ? v.parse(CheckpointItem, Item) : null;
}

/** Deletes a checkpoint state. Succeeds when it does not exist. */
export async function deleteCheckpoint(table: Table, ref: CheckpointRef): Promise<void> {
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: checkpointKey(ref) }));
}
