import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Key, Table } from './table.ts';

export type TransactItems = NonNullable<TransactWriteCommandInput['TransactItems']>;
export type TransactItem = TransactItems[number];

const MAX_TRIES = 12;
const BASE_PAUSE_MS = 20;
const MAX_PAUSE_MS = 600;

/**
 * Writes all items or none. Returns the indexes of the items whose condition failed; empty when everything is written.
 * Retries after a conflict with another transaction; throws any other error.
 */
export async function transact(table: Table, items: TransactItems): Promise<number[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await table.client.send(new TransactWriteCommand({ TransactItems: items }));
      return [];
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code);
      const failed = codes.flatMap((code, index) => (code === 'ConditionalCheckFailed' ? [index] : []));
      if (failed.length > 0) return failed;
      if (attempt === MAX_TRIES || !codes.includes('TransactionConflict')) throw error;
      await pause(attempt);
    }
  }
}

/** Returns the transaction item that stores an item; its condition fails where the key exists. */
export function newItem(table: Table, item: Key & Record<string, unknown>): TransactItem {
  return { Put: { TableName: table.name, Item: item, ConditionExpression: 'attribute_not_exists(PK)' } };
}

function pause(attempt: number): Promise<void> {
  const longest = Math.min(MAX_PAUSE_MS, BASE_PAUSE_MS * 2 ** attempt);
  return new Promise(resolve => setTimeout(resolve, Math.random() * longest));
}
