import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { DAY, monthOf, SECOND } from '../time/instant.ts';
import { holds, ttl, workspaceKey, type Key, type Table } from './table.ts';

/*
 * What a workspace used of a monthly allowance is one item a month: `used` counts what is done and what is under way,
 * `pending` names what is under way, each with the time at which it is certainly dead. A use whose function died is
 * taken out of the count by whoever meets it next, so it neither leaks nor hides a limit.
 */

/** Longer than a function of the API can run: when it has ended, nobody will settle the use any more. Milliseconds. */
export const RESERVED_MS = 35 * SECOND;
/** Long enough to look back at the months of a year. */
const KEPT_MS = 400 * DAY;

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

/** A use that is counted and not yet settled. */
export interface Reservation {
  key: Key;
  entry: string;
}

/** A month of a feature, `2026-12`. */
const usageKey = (workspaceId: string, feature: Feature, month: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: `USAGE#${feature}#${month}`,
});

/** What a workspace used in a calendar month in UTC, without what died on the way. */
export async function getMonthlyUsage(
  table: Table,
  workspaceId: string,
  feature: Feature,
  now: number,
): Promise<number> {
  const Key = usageKey(workspaceId, feature, monthOf(now));
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key }));
  const { used, pending } = v.parse(Counted, Item ?? {});
  return used - deadOf(pending, now).length;
}

/**
 * Counts one use before it begins: two requests never share the last one. `limit` null: none.
 * Gives what was used where nothing is left.
 */
export async function reserveUse(
  table: Table,
  workspaceId: string,
  feature: Feature,
  limit: number | null,
  now: number,
): Promise<Reservation | { used: number }> {
  const key = usageKey(workspaceId, feature, monthOf(now));
  const entry = `${now + RESERVED_MS}#${randomUUID()}`;
  for (;;) {
    const { taken, usage } = await count(table, key, entry, limit, now);
    const dead = deadOf(usage.pending, now);
    await Promise.all(dead.map(each => giveBack(table, { key, entry: each })));
    if (taken) return { key, entry };
    if (dead.length === 0) return { used: usage.used };
  }
}

/** The use is done: it stays counted. */
export async function keepUse(table: Table, { key, entry }: Reservation): Promise<void> {
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: key,
      UpdateExpression: 'DELETE pending :entry',
      ExpressionAttributeValues: { ':entry': new Set([entry]) },
    }),
  );
}

/** The use came to nothing: it is counted no more. Harmless when it is done twice. */
export async function giveBack(table: Table, { key, entry }: Reservation): Promise<void> {
  await holds(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: key,
        UpdateExpression: 'ADD used :less DELETE pending :entry',
        ConditionExpression: 'contains(pending, :one)',
        ExpressionAttributeValues: { ':less': -1, ':entry': new Set([entry]), ':one': entry },
      }),
    ),
  );
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
