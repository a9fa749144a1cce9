import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { counterChange, readCounter } from './counters.ts';
import { workspaceKey, type Key, type Table } from './table.ts';
import { newItem, transact } from './transact.ts';

/*
 * Bytes of the media that a workspace keeps. Each file has an item with its bytes, so that a repeated reservation or
 * release has no effect, and the sum is exact under any concurrency.
 */

export interface StoredFileRef {
  workspace_id: string;
  file_id: string;
}

const usageKey = (workspaceId: string): Key => ({ PK: workspaceKey(workspaceId), SK: 'COUNT#STORAGE' });
const fileKey = ({ workspace_id, file_id }: StoredFileRef): Key => ({
  PK: workspaceKey(workspace_id),
  SK: `STORAGE#${file_id}`,
});

const FileSchema = v.object({ bytes: v.number() });

/** Returns the bytes that a workspace keeps. */
export const storageUsed = (table: Table, workspaceId: string): Promise<number> =>
  readCounter(table, usageKey(workspaceId), { consistent: true });

/**
 * Reserves the bytes of a file. Returns false when that would exceed `limit` (null: unlimited). A file that has a
 * reservation keeps it.
 */
export async function reserveStorage(
  table: Table,
  ref: StoredFileRef,
  bytes: number,
  limit: number | null,
): Promise<boolean> {
  const failed = await transact(table, [
    newItem(table, { ...fileKey(ref), bytes }),
    counterChange(table, usageKey(ref.workspace_id), bytes, limit),
  ]);
  return failed.length === 0 || failed.includes(0);
}

/** Releases the bytes of a file. Has no effect on a file without a reservation. */
export async function releaseStorage(table: Table, ref: StoredFileRef): Promise<void> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: fileKey(ref), ConsistentRead: true }),
  );
  if (!Item) return;
  const { bytes } = v.parse(FileSchema, Item);
  await transact(table, [
    { Delete: { TableName: table.name, Key: fileKey(ref), ConditionExpression: 'attribute_exists(PK)' } },
    counterChange(table, usageKey(ref.workspace_id), -bytes, null),
  ]);
}
