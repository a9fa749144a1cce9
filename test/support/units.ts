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

/** What AWS bills where the local engines report something else. */
function billed({ constructor, input }: Sendable, reported: number): number {
  // A transaction writes each item twice; the items here are below 1 KB.
  if (constructor.name === 'TransactWriteCommand') return 2 * (input['TransactItems'] as unknown[]).length;
  // A query that finds nothing still costs the smallest unit.
  return constructor.name === 'QueryCommand' ? Math.max(0.5, reported) : reported;
}

/** A view of a table that adds up the capacity units its calls consume, as DynamoDB itself reports them. */
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
