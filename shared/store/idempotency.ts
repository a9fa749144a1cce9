import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { DAY, MINUTE, SECOND } from '../time/instant.ts';
import { holds, ttl, type Key, type Table } from './table.ts';

/** How long a key answers with what it was first answered, milliseconds. */
const KEPT_MS = DAY;
/** Longer than a function of the API can run: when it has ended, the request before is certainly gone. */
export const LOCK_MS = 35 * SECOND;

/** One use of a key. Epoch milliseconds. */
const UseSchema = v.object({
  /** Digest of who asked for what. */
  fingerprint: v.string(),
  /** What the ids of created resources come from; it outlives crashes. */
  seed: v.object({ id: v.string(), at: v.number() }),
  /** Whose run it is; each run has its own. */
  run: v.string(),
  /** Until when nobody else may run; null once there is an answer, 0 after a failure. */
  locked_until: v.nullable(v.number()),
  /** The sealed answer; null until there is one. */
  answer: v.nullable(v.string()),
  valid_until: v.number(),
});
export type Use = v.InferOutput<typeof UseSchema>;
export type Seed = Use['seed'];

/** `scope` names workspace, route and key. */
const useKey = (scope: string): Key => ({ PK: `IDEMPOTENCY#${scope}`, SK: 'USE' });

/** Takes a key that nobody uses. Null when it is taken now, else the use that stands in the way. */
export async function acquireKey(
  table: Table,
  scope: string,
  use: Pick<Use, 'fingerprint' | 'seed' | 'run'>,
  now: number,
): Promise<Use | null> {
  const item: Use = { ...use, locked_until: now + LOCK_MS, answer: null, valid_until: now + KEPT_MS };
  const taken = await holds(() =>
    table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: { ...useKey(scope), ...item, expires_at: ttl(item.valid_until + MINUTE) },
        // A failed request frees its key for any body; with the same body its seed goes on instead.
        ConditionExpression:
          'attribute_not_exists(PK) OR valid_until <= :now OR (locked_until = :freed AND fingerprint <> :fingerprint)',
        ExpressionAttributeValues: { ':now': now, ':freed': 0, ':fingerprint': use.fingerprint },
      }),
    ),
  );
  return taken ? null : readUse(table, scope);
}

async function readUse(table: Table, scope: string): Promise<Use> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: useKey(scope), ConsistentRead: true }),
  );
  return v.parse(UseSchema, Item);
}

/** Goes on where an earlier run failed or vanished. False when somebody else does so already. */
export function takeOver(table: Table, scope: string, from: Use, run: string, now: number): Promise<boolean> {
  return change(table, scope, from.run, { run, locked_until: now + LOCK_MS });
}

/** Keeps the answer. False when another run took over. */
export function keepAnswer(table: Table, scope: string, run: string, answer: string): Promise<boolean> {
  return change(table, scope, run, { locked_until: null, answer });
}

/** Lets the key be used at once again. */
export function releaseKey(table: Table, scope: string, run: string): Promise<boolean> {
  return change(table, scope, run, { locked_until: 0 });
}

/** Changes a use without an answer, as long as it is still this run's. */
function change(table: Table, scope: string, run: string, changes: Partial<Use>): Promise<boolean> {
  const fields = Object.entries(changes);
  return holds(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: useKey(scope),
        UpdateExpression: `SET ${fields.map((_, index) => `#f${index} = :f${index}`).join(', ')}`,
        ConditionExpression: '#run = :run AND attribute_type(answer, :null)',
        ExpressionAttributeNames: {
          '#run': 'run',
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
