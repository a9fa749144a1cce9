import { BatchGetCommand, BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { workspaceKey, type Key, type Table } from './table.ts';

/** Selects the items of one kind in a workspace: those whose sort key begins with `prefix`. */
export interface WorkspaceQuery {
  workspace_id: string;
  prefix: string;
  /** Applied after reading: items that it drops are paid for all the same. */
  filter?: { expression: string; names?: Record<string, string>; values: Record<string, unknown> };
  /** Highest sort key first. */
  backwards?: boolean;
  /** Sort key to start after. */
  after?: string | null;
  consistent?: boolean;
  /** Maximum items that one page reads. Default: 1 MB, DynamoDB's maximum. */
  pageSize?: number;
}

/** Returns the pages of a query; each is read when it is requested. A page may be empty although more follow. */
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

/** Returns every item that a query finds. Only for kinds of items that a workspace has few of. */
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

/** Parses the key of an item. */
export const KeySchema = v.object({ PK: v.string(), SK: v.string() });

/** Maximum items of one BatchGetItem request. */
const READ_BATCH_SIZE = 100;

interface ReadOptions {
  consistent?: boolean;
  /** Names of the attributes to return. Default: all. */
  attributes?: string;
}

/** Returns those of any number of items that exist, in any order. No key may occur twice. */
export async function getItems<T>(
  table: Table,
  keys: readonly Key[],
  schema: v.GenericSchema<unknown, T>,
  options: ReadOptions = {},
): Promise<T[]> {
  const found: T[] = [];
  for (let first = 0; first < keys.length; first += READ_BATCH_SIZE) {
    const items = await getBatch(table, keys.slice(first, first + READ_BATCH_SIZE), options);
    found.push(...v.parse(v.array(schema), items));
  }
  return found;
}

/** Repeats what a throttled table leaves unprocessed: what is missing in the result does not exist. */
async function getBatch(
  table: Table,
  keys: readonly Key[],
  { consistent = false, attributes }: ReadOptions,
): Promise<object[]> {
  const found: object[] = [];
  let Keys: object[] = [...keys];
  for (let attempt = 0; Keys.length > 0; attempt += 1) {
    await pauseBefore(attempt);
    const projection = attributes === undefined ? {} : { ProjectionExpression: attributes };
    const { Responses, UnprocessedKeys } = await table.client.send(
      new BatchGetCommand({
        RequestItems: { [table.name]: { Keys, ConsistentRead: consistent, ...projection } },
      }),
    );
    found.push(...(Responses?.[table.name] ?? []));
    Keys = UnprocessedKeys?.[table.name]?.Keys ?? [];
  }
  return found;
}

/** Waits before a request is repeated for what was left of it. */
async function pauseBefore(attempt: number): Promise<void> {
  if (attempt > 0) await new Promise(resolve => setTimeout(resolve, Math.min(1000, 25 * 2 ** attempt)));
}

/** Maximum items of one BatchWriteItem request. */
const BATCH_SIZE = 25;
const CONCURRENT_BATCHES = 8;

/** Deletes any number of items. Those that do not exist are skipped. */
export async function deleteKeys(table: Table, keys: readonly Key[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(keys.length / BATCH_SIZE) }, (_, index) =>
    keys.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
  );
  while (batches.length > 0) {
    await Promise.all(batches.splice(0, CONCURRENT_BATCHES).map(batch => deleteBatch(table, batch)));
  }
}

/** Repeats what a throttled table leaves unprocessed. */
async function deleteBatch(table: Table, keys: readonly Key[]): Promise<void> {
  let requests: object[] = keys.map(Key => ({ DeleteRequest: { Key } }));
  for (let attempt = 0; requests.length > 0; attempt += 1) {
    await pauseBefore(attempt);
    const { UnprocessedItems } = await table.client.send(
      new BatchWriteCommand({ RequestItems: { [table.name]: requests } }),
    );
    requests = UnprocessedItems?.[table.name] ?? [];
  }
}
