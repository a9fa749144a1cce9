import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { workspaceKey, type Table } from './table.ts';

/** What a workspace used of a monthly allowance. `month` is a calendar month in UTC: `2026-12`. */
export async function getMonthlyUsage(
  table: Table,
  workspaceId: string,
  feature: 'AI',
  month: string,
): Promise<number> {
  const key = { PK: workspaceKey(workspaceId), SK: `USAGE#${feature}#${month}` };
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key: key }));
  return v.parse(v.object({ used: v.optional(v.number(), 0) }), Item ?? {}).used;
}
