import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { workspaceKey, type Key, type Table } from './table.ts';
import { transact } from './transact.ts';

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

const UsageSchema = v.object({ used: v.optional(v.number(), 0) });
const FileSchema = v.object({ bytes: v.number() });

/** Returns the bytes that a workspace keeps. */
export async function storageUsed(table: Table, workspaceId: string): Promise<number> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: usageKey(workspaceId), ConsistentRead: true }),
  );
  return v.parse(UsageSchema, Item ?? {}).used;
}

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
    {
      Put: {
        TableName: table.name,
        Item: { ...fileKey(ref), bytes },
        ConditionExpression: 'attribute_not_exists(PK)',
      },
    },
    usageChange(table, ref.workspace_id, bytes, limit === null ? null : limit - bytes),
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
    usageChange(table, ref.workspace_id, -bytes, null),
  ]);
}

/** `mostUsed`: condition on the bytes in use before the change. */
function usageChange(table: Table, workspaceId: string, by: number, mostUsed: number | null) {
  const isNewAllowed = mostUsed !== null && mostUsed >= 0;
  return {
    Update: {
      TableName: table.name,
      Key: usageKey(workspaceId),
      UpdateExpression: 'ADD #used :by',
      ExpressionAttributeNames: { '#used': 'used' },
      ExpressionAttributeValues: { ':by': by, ...(mostUsed === null ? {} : { ':most': mostUsed }) },
      ...(mostUsed === null
        ? {}
        : {
            ConditionExpression: isNewAllowed
              ? 'attribute_not_exists(#used) OR #used <= :most'
              : '#used <= :most',
          }),
    },
  };
}
