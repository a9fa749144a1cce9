import type { Table } from '../../shared/store/table.ts';

/** Returns a table that gets each conditional write twice, as the SDK sends it when the first response is lost. */
export function withRepeatedWrites(table: Table): Table {
  const send = async (command: { input: object }) => {
    if ('ConditionExpression' in command.input) await table.client.send(command as never);
    return table.client.send(command as never);
  };
  return { name: table.name, client: { send } as unknown as Table['client'] };
}
