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
    // A transaction bills two units for each item (all below 1 KB); the index takes one more.
    return 2 * parts.length + parts.filter(({ Put }) => Put?.Item['wake_at'] !== undefined).length;
  }
  // An empty query is billed with the smallest unit.
  return constructor.name === 'QueryCommand' ? Math.max(0.5, reported) : reported;
}

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
