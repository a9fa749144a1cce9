import { paginateScan } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { WorkspaceSchema, type Workspace } from '../model/workspace.ts';
import type { Table } from './table.ts';
import { WORKSPACE_SORT_KEY } from './workspaces.ts';

/**
 * Lists all workspaces, oldest first. Reads the whole table, because nothing but operators asks for this: an index would cost
 * writes for each workspace.
 */
export async function allWorkspaces({ client, name }: Table): Promise<Workspace[]> {
  const pages = paginateScan(
    { client },
    {
      TableName: name,
      FilterExpression: 'SK = :workspace',
      ExpressionAttributeValues: { ':workspace': WORKSPACE_SORT_KEY },
    },
  );
  const found: Workspace[] = [];
  for await (const { Items } of pages) found.push(...v.parse(v.array(WorkspaceSchema), Items ?? []));
  return found.sort((a, b) => a.created_at - b.created_at);
}
