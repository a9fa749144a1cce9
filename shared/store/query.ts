import { BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { workspaceKey, type Key, type Table } from './table.ts';

/** Items of one kind in a workspace: those whose sort key begins with `prefix`. */
export interface WorkspaceQuery {
  workspace_id: string;
  prefix: string;
  /** Looks through what the keys alone cannot tell; what it drops is read and paid all the same. */
  filter?: { expression: string; names?: Record<string, string>; values: Record<string, unknown> };
  /** Highest sort key first. */
  backwards?: boolean;
  /** Sort key after which to begin. */
  after?: string | null;
  consistent?: boolean;
  /** Most items that one page reads. Default: as much as DynamoDB gives, 1 MB. */
  pageSize?: number;
}

/** The pages of a query, one at a time: whoever has enough stops asking. A page may be empty though more follow. */
export async function* pagesOf<T>(
  table: Table,
  query: WorkspaceQuery,
  schema: v.GenericSchema<unknown, T>,
): AsyncGenerator<T[], void> {
  const pk = workspaceKey(query.workspace_id);
  let start: Record<string, unknown> | undefined = query.after ? { PK: pk, SK: query.after } : undefined;
  do {
    const page = await table.client.send(pageQuery(table.name, pk, query, start));
    yield v.parse(v.array(schema), page.Items ?? []);
    start = page.LastEvaluatedKey;
  } while (start);
}

/** Everything that a query finds. Only for what a workspace has few of. */
export async function allOf<T>(
  table: Table,
  query: WorkspaceQuery,
  schema: v.GenericSchema<unknown, T>,
): Promise<T[]> {
  const found: T[] = [];
  for await (const page of pagesOf(table, query, schema)) found.push(...page);
  return found;
}

function pageQuery(
  tableName: string,
  pk: string,
  { prefix, filter, backwards = false, consistent = false, pageSize }: WorkspaceQuery,
  start: Record<string, unknown> | undefined,
): QueryCommand {
  return new QueryCommand({
    TableName: tableName,
    KeyConditionExpression: 'PK = :pk AND begins_with(SK, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix, ...filter?.values },
    ...(filter ? { FilterExpression: filter.expression } : {}),
    ...(filter?.names ? { ExpressionAttributeNames: filter.names } : {}),
    ScanIndexForward: !backwards,
    ConsistentRead: consistent,
    ...(pageSize === undefined ? {} : { Limit: pageSize }),
    ...(start ? { ExclusiveStartKey: start } : {}),
  });
}

/** Most items of one batch write. */
const BATCH = 25;
/** Batches under way at a time. */
const ABREAST = 8;

/** Deletes items, however many. Those that are gone already are no fault. */
export async function deleteKeys(table: Table, keys: readonly Key[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(keys.length / BATCH) }, (_, index) =>
    keys.slice(index * BATCH, (index + 1) * BATCH),
  );
  while (batches.length > 0) {
    await Promise.all(batches.splice(0, ABREAST).map(batch => deleteBatch(table, batch)));
  }
}

/** DynamoDB may leave some of a batch undone when it is busy. */
async function deleteBatch(table: Table, keys: readonly Key[]): Promise<void> {
  let requests: object[] = keys.map(Key => ({ DeleteRequest: { Key } }));
  for (let attempt = 0; requests.length > 0; attempt += 1) {
    if (attempt > 0) await new Promise(resolve => setTimeout(resolve, Math.min(1000, 25 * 2 ** attempt)));
    const { UnprocessedItems } = await table.client.send(
      new BatchWriteCommand({ RequestItems: { [table.name]: requests } }),
    );
    requests = UnprocessedItems?.[table.name] ?? [];
  }
}
