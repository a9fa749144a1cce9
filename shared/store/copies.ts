import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { MediaCopySchema, type MediaCopy } from '../model/copy.ts';
import { allOf } from './query.ts';
import { writeIfUnchanged, wakeShard, workspaceKey, type Key, type Table } from './table.ts';

const PREFIX = 'COPY#';

export interface CopyRef {
  workspace_id: string;
  post_id: string;
  url_hash: string;
}

const copyKey = ({ workspace_id, post_id, url_hash }: CopyRef): Key => ({
  PK: workspaceKey(workspace_id),
  SK: `${PREFIX}${post_id}#${url_hash}`,
});

/** Returns the copy that a key of the wake index refers to; null for a key of another aggregate. */
export function copyOfKey(key: Key): CopyRef | null {
  if (!key.SK.startsWith(PREFIX)) return null;
  const [post_id = '', url_hash = ''] = key.SK.slice(PREFIX.length).split('#');
  return { workspace_id: key.PK.slice(workspaceKey('').length), post_id, url_hash };
}

/** Stores a planned copy. False when the post has one of this URL already. */
export function createCopy(table: Table, copy: MediaCopy): Promise<boolean> {
  return put(table, copy, { ConditionExpression: 'attribute_not_exists(PK)' });
}

export async function getCopy(table: Table, ref: CopyRef): Promise<MediaCopy | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: copyKey(ref), ConsistentRead: true }),
  );
  return Item ? v.parse(MediaCopySchema, Item) : null;
}

/** Reads all copies of a post. */
export function copiesOfPost(table: Table, workspaceId: string, postId: string): Promise<MediaCopy[]> {
  return allOf(table, { workspace_id: workspaceId, prefix: `${PREFIX}${postId}#` }, MediaCopySchema);
}

/** Replaces `from` by `to` and returns it with its new revision; null when it was changed since it was read. */
export async function replaceCopy(table: Table, from: MediaCopy, to: MediaCopy): Promise<MediaCopy | null> {
  const next = { ...to, revision: from.revision + 1 };
  const replaced = await put(table, next, {
    ConditionExpression: 'revision = :revision',
    ExpressionAttributeValues: { ':revision': from.revision },
  });
  return replaced ? next : null;
}

/** Deletes a copy's item; false when it was changed since it was read. */
export function deleteCopy(table: Table, copy: MediaCopy): Promise<boolean> {
  return writeIfUnchanged(() =>
    table.client.send(
      new DeleteCommand({
        TableName: table.name,
        Key: copyKey(copy),
        ConditionExpression: 'revision = :revision',
        ExpressionAttributeValues: { ':revision': copy.revision },
      }),
    ),
  );
}

interface Condition {
  ConditionExpression: string;
  ExpressionAttributeValues?: Record<string, unknown>;
}

function put(table: Table, copy: MediaCopy, condition: Condition): Promise<boolean> {
  return writeIfUnchanged(() =>
    table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: { ...copyKey(copy), ...copy, wake_shard: wakeShard(copy.post_id) },
        ...condition,
      }),
    ),
  );
}
