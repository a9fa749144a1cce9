import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { DAY, MINUTE, SECOND } from '../time/instant.ts';
import { writeIfUnchanged, ttl, type Key, type Table } from './table.ts';

/** How long the response of a key is replayed, milliseconds. */
const KEPT_MS = DAY;
/** Longer than the timeout of an API function: once the lock has expired, the earlier run has certainly ended. */
export const LOCK_MS = 35 * SECOND;

/** A used idempotency key. Times are epoch milliseconds. */
const IdempotencyRecordSchema = v.object({
  /** Digest of user and request. */
  fingerprint: v.string(),
  /** Source of the ids of created resources; kept when a run ends without a response. */
  seed: v.object({ id: v.string(), at: v.number() }),
  /** Id of the run that holds the lock. */
  run: v.string(),
  /** Until when no other run may start; null once there is a response, 0 after a failed run. */
  locked_until: v.nullable(v.number()),
  /** The sealed response; null until there is one. */
  response: v.nullable(v.string()),
  valid_until: v.number(),
});
export type IdempotencyRecord = v.InferOutput<typeof IdempotencyRecordSchema>;
export type Seed = IdempotencyRecord['seed'];

/** `scope` is a digest of workspace, route and key. */
const recordKey = (scope: string): Key => ({ PK: `IDEMPOTENCY#${scope}`, SK: 'IDEMPOTENCY' });

/** Acquires a key that is not in use. Returns null on success, otherwise the record of the earlier request. */
export async function acquireKey(
  table: Table,
  scope: string,
  request: Pick<IdempotencyRecord, 'fingerprint' | 'seed' | 'run'>,
  now: number,
): Promise<IdempotencyRecord | null> {
  const item: IdempotencyRecord = {
    ...request,
    locked_until: now + LOCK_MS,
    response: null,
    valid_until: now + KEPT_MS,
  };
  const acquired = await writeIfUnchanged(() =>
    table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: { ...recordKey(scope), ...item, expires_at: ttl(item.valid_until + MINUTE) },
        // After a failed run another request may use the key; the same request continues with its seed instead.
        ConditionExpression:
          'attribute_not_exists(PK) OR valid_until <= :now OR (locked_until = :freed AND fingerprint <> :fingerprint)',
        ExpressionAttributeValues: { ':now': now, ':freed': 0, ':fingerprint': request.fingerprint },
      }),
    ),
  );
  if (acquired) return null;
  const record = await readRecord(table, scope);
  // The SDK repeats a write whose response was lost: the record is then the one of this run.
  return record.run === request.run ? null : record;
}

async function readRecord(table: Table, scope: string): Promise<IdempotencyRecord> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: recordKey(scope), ConsistentRead: true }),
  );
  return v.parse(IdempotencyRecordSchema, Item);
}

/** Replaces an earlier run that failed or ended without a response. False when another run has replaced it already. */
export async function takeOver(
  table: Table,
  scope: string,
  earlier: IdempotencyRecord,
  run: string,
  now: number,
): Promise<boolean> {
  const replaced = await updateRun(table, scope, earlier.run, { run, locked_until: now + LOCK_MS });
  return replaced || (await readRecord(table, scope)).run === run;
}

/** Stores the sealed response. False when another run has taken over. */
export function storeResponse(table: Table, scope: string, run: string, response: string): Promise<boolean> {
  return updateRun(table, scope, run, { locked_until: null, response });
}

/** Lets the key be used again immediately. */
export function releaseKey(table: Table, scope: string, run: string): Promise<boolean> {
  return updateRun(table, scope, run, { locked_until: 0 });
}

/** Updates a record without a response, provided that it still belongs to this run. */
function updateRun(
  table: Table,
  scope: string,
  run: string,
  changes: Partial<IdempotencyRecord>,
): Promise<boolean> {
  const fields = Object.entries(changes);
  return writeIfUnchanged(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: recordKey(scope),
        UpdateExpression: `SET ${fields.map((_, index) => `#f${index} = :f${index}`).join(', ')}`,
        ConditionExpression: '#run = :run AND attribute_type(#response, :null)',
        ExpressionAttributeNames: {
          '#run': 'run',
          '#response': 'response',
          ...Object.fromEntries(fields.map(([name], index) => [`#f${index}`, name])),
        },
        ExpressionAttributeValues: {
          ':run': run,
          ':null': 'NULL',
          ...Object.fromEntries(fields.map(([, value], index) => [`:f${index}`, value])),
        },
      }),
    ),
  );
}
