import { BatchGetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { ttl, type Key, type Table } from './table.ts';

/** The fingerprint of a post. */
export interface FingerprintItem {
  post_id: string;
  /** When the post is due, epoch milliseconds. */
  at: number;
  sketch: number[];
}

const itemKey = (profileId: string, key: string): Key => ({ PK: `SIMILAR#${profileId}#${key}`, SK: 'LAST' });

/**
 * Stores a fingerprint under each of its keys and returns the fingerprints that it replaces: of two equal posts written
 * at the same time, the second write sees the first.
 */
export async function putFingerprints(
  table: Table,
  profileId: string,
  keys: readonly string[],
  fingerprint: FingerprintItem,
  until: number,
): Promise<FingerprintItem[]> {
  const { post_id, at, sketch } = fingerprint;
  const item = { post_id, at, sketch: pack(sketch), expires_at: ttl(until) };
  const found = await Promise.all(
    keys.map(key =>
      table.client.send(
        new PutCommand({
          TableName: table.name,
          Item: { ...itemKey(profileId, key), ...item },
          ReturnValues: 'ALL_OLD',
        }),
      ),
    ),
  );
  return found.flatMap(({ Attributes }) => (Attributes ? [parseItem(Attributes)] : []));
}

/** Returns the fingerprints stored under keys. */
export async function findFingerprints(
  table: Table,
  profileId: string,
  keys: readonly string[],
): Promise<FingerprintItem[]> {
  const { Responses } = await table.client.send(
    new BatchGetCommand({
      RequestItems: { [table.name]: { Keys: keys.map(key => itemKey(profileId, key)) } },
    }),
  );
  return (Responses?.[table.name] ?? []).map(parseItem);
}

const ItemSchema = v.object({ post_id: v.string(), at: v.number(), sketch: v.instance(Uint8Array) });

function parseItem(item: unknown): FingerprintItem {
  const { post_id, at, sketch } = v.parse(ItemSchema, item);
  return { post_id, at, sketch: unpack(sketch) };
}

/** Four bytes per hash. */
function pack(sketch: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(sketch.length * 4);
  const view = new DataView(bytes.buffer);
  sketch.forEach((hash, index) => view.setUint32(index * 4, hash));
  return bytes;
}

function unpack(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.byteLength / 4 }, (_, index) => view.getUint32(index * 4));
}
