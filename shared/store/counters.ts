import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { Key, Table } from './table.ts';
import type { TransactItem } from './transact.ts';

/*
 * A counter is an item with one number. It changes in the transaction that writes what it counts, so it is exact under any
 * concurrency, and a limit is a condition of that transaction.
 */

const CounterSchema = v.object({ used: v.optional(v.number(), 0) });

/** Returns the value of a counter; 0 before its first change. */
export async function readCounter(table: Table, key: Key, { consistent = false } = {}): Promise<number> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: key, ConsistentRead: consistent }),
  );
  return v.parse(CounterSchema, Item ?? {}).used;
}

/** Returns the transaction item that changes a counter; its condition fails where the new value exceeds `limit` (null: none). */
export function counterChange(table: Table, key: Key, by: number, limit: number | null): TransactItem {
  const within = '#used <= :most';
  const condition = by <= (limit ?? 0) ? `attribute_not_exists(#used) OR ${within}` : within;
  return {
    Update: {
      TableName: table.name,
      Key: key,
      UpdateExpression: 'ADD #used :by',
      ...(limit !== null && { ConditionExpression: condition }),
      ExpressionAttributeNames: { '#used': 'used' },
      ExpressionAttributeValues: { ':by': by, ...(limit !== null && { ':most': limit - by }) },
    },
  };
}
