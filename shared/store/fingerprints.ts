import { BatchGetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { ttl, type Key, type Table } from './table.ts';

/** What is remembered of a post to recognise others like it. */
export interface FingerprintItem {
  post_id: string;
  /** When the post goes live, epoch milliseconds. */
  at: number;
  sketch: number[];
}

const traceKey = (profileId: string, key: string): Key => ({ PK: `SIMILAR#${profileId}#${key}`, SK: 'LAST' });

/**
 * Leaves a post's trace under each of its keys and gives the traces that were there: a write tells what it replaces,
 * so that of two equal posts at the same moment one sees the other.
 */
export async function putFingerprints(
  table: Table,
  profileId: string,
  keys: readonly string[],
  trace: FingerprintItem,
  until: number,
): Promise<FingerprintItem[]> {
  const item = { post_id: trace.post_id, at: trace.at, sketch: pack(trace.sketch), expires_at: ttl(until) };
  const found = await Promise.all(
    keys.map(key =>
      table.client.send(
        new PutCommand({
          TableName: table.name,
          Item: { ...traceKey(profileId, key), ...item },
          ReturnValues: 'ALL_OLD',
        }),
      ),
    ),
  );
  return found.flatMap(({ Attributes }) => (Attributes ? [readTrace(Attributes)] : []));
}

/** The traces under keys, without leaving any. */
export async function findFingerprints(
  table: Table,
  profileId: string,
  keys: readonly string[],
): Promise<FingerprintItem[]> {
  const { Responses } = await table.client.send(
    new BatchGetCommand({
      RequestItems: { [table.name]: { Keys: keys.map(key => traceKey(profileId, key)) } },
    }),
  );
  return (Responses?.[table.name] ?? []).map(readTrace);
}

const TraceItem = v.object({ post_id: v.string(), at: v.number(), sketch: v.instance(Uint8Array) });

function readTrace(item: unknown): FingerprintItem {
  const { post_id, at, sketch } = v.parse(TraceItem, item);
  return { post_id, at, sketch: unpack(sketch) };
}

/** Four bytes a hash. */
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
