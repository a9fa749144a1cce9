import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from './table.ts';

export type TransactItems = NonNullable<TransactWriteCommandInput['TransactItems']>;

const TRIES = 12;
const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 600;

/**
 * Writes all or nothing. Gives the places of the parts whose condition did not hold: none when everything is written.
 * Another transaction on the same items is no fault of this one: it is tried again. Everything else throws.
 */
export async function transact(table: Table, items: TransactItems): Promise<number[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await table.client.send(new TransactWriteCommand({ TransactItems: items }));
      return [];
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code);
      const failed = codes.flatMap((code, place) => (code === 'ConditionalCheckFailed' ? [place] : []));
      if (failed.length > 0) return failed;
      if (attempt === TRIES || !codes.includes('TransactionConflict')) throw error;
      await pause(attempt);
    }
  }
}

function pause(attempt: number): Promise<void> {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  return new Promise(resolve => setTimeout(resolve, Math.random() * longest));
}
