import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/store/table.ts';

export interface Units {
  read: number;
  write: number;
}

interface Sendable {
  constructor: { name: string };
  input: Record<string, unknown>;
}

interface Consumed {
  CapacityUnits?: number;
}

interface TransactItem {
  Put?: { Item: Record<string, unknown> };
}

/** Returns the units that AWS bills, where the local engine reports different ones. */
function billed({ constructor, input }: Sendable, reported: number): number {
  if (constructor.name === 'TransactWriteCommand') {
    const parts = input['TransactItems'] as TransactItem[];
    // A transaction bills two units for each item and kilobyte; the index takes one more.
    return parts
      .map(({ Put }) => 2 * kilobytesOf(Put?.Item ?? {}) + (Put?.Item['wake_at'] === undefined ? 0 : 1))
      .reduce((sum, each) => sum + each, 0);
  }
  // An empty query is billed with the smallest unit.
  return constructor.name === 'QueryCommand' ? Math.max(0.5, reported) : reported;
}

/** Returns the size of an item as the service rounds it, but for the numbers in it, which it stores in fewer bytes. */
const kilobytesOf = (item: Record<string, unknown>): number =>
  Math.max(1, Math.ceil(Buffer.byteLength(JSON.stringify(item)) / 1024));

/** Wraps a table so that `measure` returns the capacity units which its calls consume, as DynamoDB reports them. */
export function meteredTable(table: Table): {
  table: Table;
  measure: (run: () => Promise<unknown>) => Promise<Units>;
} {
  const units: Units = { read: 0, write: 0 };
  const send = async (command: Sendable) => {
    command.input['ReturnConsumedCapacity'] = 'TOTAL';
    const kind = /^(Get|Query|BatchGet|Scan|TransactGet)/.test(command.constructor.name) ? 'read' : 'write';
    const answer = (await table.client.send(command as never)) as {
      ConsumedCapacity?: Consumed | Consumed[];
    };
    const reported = [answer.ConsumedCapacity ?? []]
      .flat()
      .reduce((sum, each) => sum + (each.CapacityUnits ?? 0), 0);
    units[kind] += billed(command, reported);
    return answer;
  };
  return {
    table: { name: table.name, client: { send } as unknown as DynamoDBDocumentClient },
    measure: async run => {
      Object.assign(units, { read: 0, write: 0 });
      await run();
      return { ...units };
    },
  };
}
