import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { allOf } from './query.ts';
import { ttl, workspaceKey, type Table } from './table.ts';

/** A post that may use an uploaded file. */
export interface MediaUse {
  workspace_id: string;
  /** Identifies the file: `hashUrl` of its public URL. */
  url_hash: string;
  post_id: string;
}

const prefixOf = (urlHash: string) => `MEDIAUSE#${urlHash}#`;

/** Records that a post uses a file. `until`: when the record may go, epoch milliseconds. */
export async function putMediaUse(
  table: Table,
  { workspace_id, url_hash, post_id }: MediaUse,
  until: number,
): Promise<void> {
  const key = { PK: workspaceKey(workspace_id), SK: prefixOf(url_hash) + post_id };
  await table.client.send(
    new PutCommand({ TableName: table.name, Item: { ...key, post_id, expires_at: ttl(until) } }),
  );
}

const UseSchema = v.object({ post_id: v.string() });

/** Returns the ids of the posts that may use a file: some may be published, edited or deleted since. */
export async function postsThatMayUse(
  table: Table,
  { workspace_id, url_hash }: Omit<MediaUse, 'post_id'>,
): Promise<string[]> {
  const query = { workspace_id, prefix: prefixOf(url_hash), consistent: true };
  return (await allOf(table, query, UseSchema)).map(({ post_id }) => post_id);
}
