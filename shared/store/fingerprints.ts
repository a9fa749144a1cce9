import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { deleteKeys, KeySchema } from './query.ts';
import { ttl, type Key, type Table } from './table.ts';

/** The fingerprint of a post as it is stored. */
export interface FingerprintItem {
  profile_id: string;
  post_id: string;
  /** When the post is due, epoch milliseconds. */
  due_at: number;
  /** Lookup keys of 32 bits. */
  keys: readonly number[];
}

/**
 * Fingerprints that are read to find similar posts. An account with the highest daily cap, 150, has no more posts within
 * four days. They are about 80 KB: one page of a query, and at most 22 read units.
 */
export const MAX_COMPARED = 600;

const partitionOf = (profileId: string) => `SIMILAR#${profileId}`;

/** Sorts by time, then by post. Thirteen digits suffice until the year 2286. */
const timeOf = (at: number) => String(at).padStart(13, '0');

const itemKey = ({ profile_id, due_at, post_id }: FingerprintItem): Key => ({
  PK: partitionOf(profile_id),
  SK: `${timeOf(due_at)}#${post_id}`,
});

/** Stores a fingerprint. It replaces that of the same post at the same time. `until`: when it may go, epoch milliseconds. */
export async function putFingerprint(table: Table, item: FingerprintItem, until: number): Promise<void> {
  // All items of a profile within four days are read again for each of its posts, so they are small.
  const stored = { ...itemKey(item), keys: pack(item.keys), expires_at: ttl(until) };
  await table.client.send(new PutCommand({ TableName: table.name, Item: stored }));
}

/**
 * Returns the fingerprints of a profile's posts that are due from `first` to `last` (epoch milliseconds), latest first;
 * those of posts that were deleted or moved since are among them. Where there are more than `MAX_COMPARED`, the earliest
 * are missing. Reads consistently.
 */
export async function listFingerprints(
  table: Table,
  profileId: string,
  first: number,
  last: number,
): Promise<FingerprintItem[]> {
  const { Items } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'PK = :pk AND SK BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': partitionOf(profileId),
        ':first': `${timeOf(first)}#`,
        ':last': `${timeOf(last)}$`,
      },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: MAX_COMPARED,
    }),
  );
  return v.parse(v.array(ItemSchema), Items ?? []).map(item => parseItem(profileId, item));
}

/** Deletes all fingerprints of a profile. */
export async function deleteFingerprints(table: Table, profileId: string): Promise<void> {
  let start: Record<string, unknown> | undefined;
  do {
    const page = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'PK = :pk',
        ExpressionAttributeValues: { ':pk': partitionOf(profileId) },
        ConsistentRead: true,
        ...(start ? { ExclusiveStartKey: start } : {}),
      }),
    );
    await deleteKeys(table, v.parse(v.array(KeySchema), page.Items ?? []));
    start = page.LastEvaluatedKey;
  } while (start);
}

const ItemSchema = v.object({ SK: v.string(), keys: v.instance(Uint8Array) });

function parseItem(profile_id: string, { SK, keys }: v.InferOutput<typeof ItemSchema>): FingerprintItem {
  const [time = '', post_id = ''] = SK.split('#');
  return { profile_id, post_id, due_at: Number(time), keys: unpack(keys) };
}

/** Four bytes per key. */
function pack(keys: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(keys.length * 4);
  const view = new DataView(bytes.buffer);
  keys.forEach((key, index) => view.setUint32(index * 4, key));
  return bytes;
}

function unpack(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: Math.floor(bytes.byteLength / 4) }, (_, index) => view.getUint32(index * 4));
}
