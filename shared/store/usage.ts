import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { DAY, monthOf, SECOND } from '../time/instant.ts';
import { holds, ttl, workspaceKey, type Key, type Table } from './table.ts';

/*
 * What a workspace used of a monthly allowance is one item a month: `used` counts what is done and what is under way,
 * `pending` names what is under way, each with the time at which it is certainly dead. A use that is done leaves an item
 * of its own: a request that is repeated since its answer got lost is not counted again. A use whose function died
 * is settled by whoever meets it next: counted where it was done, taken out of the count where not.
 */

/** Longer than a function of the API can run: when it has ended, nobody will settle the use any more. Milliseconds. */
export const RESERVED_MS = 35 * SECOND;
/** Long enough to look back at the months of a year. */
const KEPT_MS = 400 * DAY;
/** Longer than a request can be repeated under its `Idempotency-Key`, and than a dead entry of its month can wait. */
const DONE_MS = 32 * DAY;

export type Feature = 'AI';

const Counted = v.object({
  used: v.optional(v.number(), 0),
  pending: v.optional(v.instance(Set<string>), () => new Set<string>()),
});
type Usage = v.InferOutput<typeof Counted>;

/** An item as DynamoDB writes it: the document client leaves that of a failed condition as it is. */
const RawCounted = v.pipe(
  v.object({
    used: v.optional(v.object({ N: v.string() }), { N: '0' }),
    pending: v.optional(v.object({ SS: v.array(v.string()) }), { SS: [] }),
  }),
  v.transform(({ used, pending }): Usage => ({ used: Number(used.N), pending: new Set(pending.SS) })),
);

/** What is used, by whom, for which request: the same id in each of its repetitions. */
export interface Use {
  workspace_id: string;
  feature: Feature;
  id: string;
}

/** A use that is counted and not yet settled; without an entry where an earlier run of the request settled it. */
export interface Reservation {
  use: Use;
  month: string;
  entry: string | null;
}

/** A month of a feature, `2026-12`. */
const usageKey = ({ workspace_id, feature }: Omit<Use, 'id'>, month: string): Key => ({
  PK: workspaceKey(workspace_id),
  SK: `USAGE#${feature}#${month}`,
});

const doneKey = ({ workspace_id, feature, id }: Use): Key => ({
  PK: workspaceKey(workspace_id),
  SK: `USED#${feature}#${id}`,
});

/** What a workspace used in a calendar month in UTC, without what died on the way. */
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
  const done = await Promise.all(deadOf(pending, now).map(entry => isDone(table, useOf(counter, entry))));
  return used - done.filter(each => !each).length;
}

/**
 * Counts one use before it begins, unless it is counted already: two requests never share the last one. `limit` null:
 * none. Gives what was used where nothing is left.
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
    const { taken, usage } = await count(table, usageKey(use, month), entry, limit, now);
    const dead = deadOf(usage.pending, now);
    await Promise.all(dead.map(each => settleDead(table, { use: useOf(use, each), month, entry: each })));
    if (taken) return { use, month, entry };
    if (dead.length === 0) return { used: usage.used };
  }
}

/** The use is done: it stays counted, also where this function dies before it can tell anybody. */
export async function keepUse(table: Table, reservation: Reservation, now: number): Promise<void> {
  const { use, entry } = reservation;
  if (entry === null) return;
  const item = { ...doneKey(use), expires_at: ttl(now + DONE_MS) };
  await table.client.send(new PutCommand({ TableName: table.name, Item: item }));
  await settle(table, reservation, entry);
}

/** The use came to nothing: it is counted no more. Harmless when it is done twice. */
export async function releaseUse(table: Table, { use, month, entry }: Reservation): Promise<void> {
  if (entry === null) return;
  await holds(() =>
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

/** Ends what its function left undecided. */
async function settleDead(table: Table, reservation: Reservation & { entry: string }): Promise<void> {
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

/** Adds the use, unless the limit is reached. A write that is sent again, its answer lost, finds its own entry. */
async function count(
  table: Table,
  key: Key,
  entry: string,
  limit: number | null,
  now: number,
): Promise<{ taken: boolean; usage: Usage }> {
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
    return { taken: true, usage: v.parse(Counted, Attributes) };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const usage = v.parse(RawCounted, error.Item ?? {});
    return { taken: usage.pending.has(entry), usage };
  }
}

/** Entries whose function has certainly ended without a word. */
function deadOf(pending: ReadonlySet<string>, now: number): string[] {
  return [...pending].filter(entry => Number(entry.split('#')[0]) <= now);
}

/** The use that an entry stands for. */
const useOf = ({ workspace_id, feature }: Omit<Use, 'id'>, entry: string): Use => ({
  workspace_id,
  feature,
  id: entry.slice(entry.indexOf('#') + 1),
});
