import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { UploadSchema, type Upload } from '../model/upload.ts';
import { writeIfUnchanged, wakeShard, workspaceKey, type Key, type Table } from './table.ts';

const PREFIX = 'UPLOAD#';

const uploadKey = (workspaceId: string, id: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: PREFIX + id,
});

export interface UploadRef {
  workspace_id: string;
  upload_id: string;
}

/** Returns the upload that a key of the wake index refers to; null for a key of another aggregate. */
export function uploadOfKey(key: Key): UploadRef | null {
  if (!key.SK.startsWith(PREFIX)) return null;
  return { workspace_id: key.PK.slice(workspaceKey('').length), upload_id: key.SK.slice(PREFIX.length) };
}

/** Stores a new upload. False when it exists: an earlier run of the same request stored it. */
export function createUpload(table: Table, upload: Upload): Promise<boolean> {
  return put(table, upload, { ConditionExpression: 'attribute_not_exists(PK)' });
}

/** Reads an upload consistently; null also for one that has ended and is not removed yet. */
export async function getUpload(table: Table, ref: UploadRef, now: number): Promise<Upload | null> {
  const upload = await getStoredUpload(table, ref);
  return upload?.ends_at !== undefined && upload.ends_at <= now ? null : upload;
}

/** Reads an upload consistently, whether it has ended or not. */
export async function getStoredUpload(
  table: Table,
  { workspace_id, upload_id }: UploadRef,
): Promise<Upload | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: uploadKey(workspace_id, upload_id), ConsistentRead: true }),
  );
  return Item ? v.parse(UploadSchema, Item) : null;
}

/** Replaces `from` by `to` and returns it with its new revision; null when it was changed since it was read. */
export async function replaceUpload(table: Table, from: Upload, to: Upload): Promise<Upload | null> {
  const next = { ...to, revision: from.revision + 1 };
  const replaced = await put(table, next, {
    ConditionExpression: 'revision = :revision',
    ExpressionAttributeValues: { ':revision': from.revision },
  });
  return replaced ? next : null;
}

/** Deletes an upload; false when it was changed since it was read. */
export function deleteUpload(table: Table, upload: Upload): Promise<boolean> {
  return writeIfUnchanged(() =>
    table.client.send(
      new DeleteCommand({
        TableName: table.name,
        Key: uploadKey(upload.workspace_id, upload.upload_id),
        ConditionExpression: 'revision = :revision',
        ExpressionAttributeValues: { ':revision': upload.revision },
      }),
    ),
  );
}

interface Condition {
  ConditionExpression: string;
  ExpressionAttributeValues?: Record<string, unknown>;
}

function put(table: Table, upload: Upload, condition: Condition): Promise<boolean> {
  const indexed = upload.wake_at === undefined ? {} : { wake_shard: wakeShard(upload.upload_id) };
  return writeIfUnchanged(() =>
    table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: { ...uploadKey(upload.workspace_id, upload.upload_id), ...upload, ...indexed },
        ...condition,
      }),
    ),
  );
}
