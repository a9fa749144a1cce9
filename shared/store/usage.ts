import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { DAY, monthOf, SECOND } from '../time/instant.ts';
import { writeIfUnchanged, ttl, workspaceKey, type Key, type Table } from './table.ts';

/*
 * The usage of a monthly allowance is one item a workspace and month: `used` counts completed and pending uses, `pending`
 * lists the pending ones, each with the time after which its function can no longer run. A completed use has an item of
 * its own, so that a repeated request is not counted twice. The next request that finds an expired pending use settles
 * it: counted where it was completed, released where it was not.
 */

/** Longer than a function of the API can run: afterwards its use will not be settled by itself. */
export const RESERVED_MS = 35 * SECOND;
/** Keeps the usage of a year. */
const KEPT_MS = 400 * DAY;
/** Longer than a request can be repeated with its `Idempotency-Key`, and than an expired entry of its month can wait. */
const DONE_MS = 32 * DAY;

export type Feature = 'AI';

const Counted = v.object({
  used: v.optional(v.number(), 0),
  pending: v.optional(v.instance(Set<string>), () => new Set<string>()),
});
type Usage = v.InferOutput<typeof Counted>;

/** An item in DynamoDB's JSON: the document client does not unmarshall the item of a failed condition. */
const RawCounted = v.pipe(
  v.object({
    used: v.optional(v.object({ N: v.string() }), { N: '0' }),
    pending: v.optional(v.object({ SS: v.array(v.string()) }), { SS: [] }),
  }),
  v.transform(({ used, pending }): Usage => ({ used: Number(used.N), pending: new Set(pending.SS) })),
);

/** One use of an allowance. `id`: the same in every repetition of its request. */
export interface Use {
  workspace_id: string;
  feature: Feature;
  id: string;
}

/** A counted use that is not settled yet. `entry`: null where an earlier run of the request completed it. */
export interface Reservation {
  use: Use;
  month: string;
  entry: string | null;
}

/** `month`: `2026-12`. */
const usageKey = ({ workspace_id, feature }: Omit<Use, 'id'>, month: string): Key => ({
  PK: workspaceKey(workspace_id),
  SK: `USAGE#${feature}#${month}`,
});

const doneKey = ({ workspace_id, feature, id }: Use): Key => ({
  PK: workspaceKey(workspace_id),
  SK: `USED#${feature}#${id}`,
});

/** Returns a workspace's usage of the current calendar month (UTC), without expired pending uses. */
export async function getMonthlyUsage(
  table: Table,
  workspace_id: string,
  feature: Feature,
  now: number,
): Promise<number> {
  const counter = { workspace_id, feature };
  const Key = usageKey(counter, monthOf(now));
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key }));
  const { used, pending } = v.parse(Counted, Item ?? {});
  const done = await Promise.all(expiredOf(pending, now).map(entry => isDone(table, useOf(counter, entry))));
  return used - done.filter(each => !each).length;
}

/**
 * Counts one use before it begins, unless it was counted already, so that two requests never share the last one. `limit`
 * null: unlimited. Returns the usage where nothing is left.
 */
export async function reserveUse(
  table: Table,
  use: Use,
  limit: number | null,
  now: number,
): Promise<Reservation | { used: number }> {
  const month = monthOf(now);
  if (await isDone(table, use)) return { use, month, entry: null };
  const entry = `${now + RESERVED_MS}#${use.id}`;
  for (;;) {
    const { counted, usage } = await count(table, usageKey(use, month), entry, limit, now);
    const expired = expiredOf(usage.pending, now);
    await Promise.all(
      expired.map(each => settleExpired(table, { use: useOf(use, each), month, entry: each })),
    );
    if (counted) return { use, month, entry };
    if (expired.length === 0) return { used: usage.used };
  }
}

/** Records that a use was completed: it stays counted even if this function dies before it answers. */
export async function keepUse(table: Table, reservation: Reservation, now: number): Promise<void> {
  const { use, entry } = reservation;
  if (entry === null) return;
  const item = { ...doneKey(use), expires_at: ttl(now + DONE_MS) };
  await table.client.send(new PutCommand({ TableName: table.name, Item: item }));
  await settle(table, reservation, entry);
}

/** Uncounts a use that was not completed. Idempotent. */
export async function releaseUse(table: Table, { use, month, entry }: Reservation): Promise<void> {
  if (entry === null) return;
  await writeIfUnchanged(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: usageKey(use, month),
        UpdateExpression: 'ADD used :less DELETE pending :entry',
        ConditionExpression: 'contains(pending, :one)',
        ExpressionAttributeValues: { ':less': -1, ':entry': new Set([entry]), ':one': entry },
      }),
    ),
  );
}

/** Settles a use whose function ended without settling it. */
async function settleExpired(table: Table, reservation: Reservation & { entry: string }): Promise<void> {
  if (await isDone(table, reservation.use)) await settle(table, reservation, reservation.entry);
  else await releaseUse(table, reservation);
}

async function settle(table: Table, { use, month }: Reservation, entry: string): Promise<void> {
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: usageKey(use, month),
      UpdateExpression: 'DELETE pending :entry',
      ExpressionAttributeValues: { ':entry': new Set([entry]) },
    }),
  );
}

async function isDone(table: Table, use: Use): Promise<boolean> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: doneKey(use), ConsistentRead: true }),
  );
  return Item !== undefined;
}

/** Adds the use unless the limit is reached. A write that is sent again after a lost response finds its own entry. */
async function count(
  table: Table,
  key: Key,
  entry: string,
  limit: number | null,
  now: number,
): Promise<{ counted: boolean; usage: Usage }> {
  const fresh = 'NOT contains(pending, :one)';
  try {
    const { Attributes } = await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: key,
        UpdateExpression: 'ADD used :more, pending :entry SET expires_at = :expires',
        ConditionExpression:
          limit === null ? fresh : `${fresh} AND (attribute_not_exists(used) OR used < :limit)`,
        ExpressionAttributeValues: {
          ':more': 1,
          ':entry': new Set([entry]),
          ':one': entry,
          ':expires': ttl(now + KEPT_MS),
          ...(limit === null ? {} : { ':limit': limit }),
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { counted: true, usage: v.parse(Counted, Attributes) };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const usage = v.parse(RawCounted, error.Item ?? {});
    return { counted: usage.pending.has(entry), usage };
  }
}

/** Returns the pending entries whose function can no longer run. */
function expiredOf(pending: ReadonlySet<string>, now: number): string[] {
  return [...pending].filter(entry => Number(entry.split('#')[0]) <= now);
}

/** Returns the use of a pending entry. */
const useOf = ({ workspace_id, feature }: Omit<Use, 'id'>, entry: string): Use => ({
  workspace_id,
  feature,
  id: entry.slice(entry.indexOf('#') + 1),
});
