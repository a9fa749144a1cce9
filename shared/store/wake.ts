import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { KeySchema } from './query.ts';
import { writeIfUnchanged, WAKE_INDEX, type Key, type Table } from './table.ts';

/** An item of the wake index. */
export interface DueItem {
  key: Key;
  wake_at: number;
}

const DueItemSchema = v.pipe(
  v.object({ ...KeySchema.entries, wake_at: v.number() }),
  v.transform(({ wake_at, ...key }): DueItem => ({ key, wake_at })),
);

/** Returns at most `limit` keys of a shard with `wake_at` at or before `now`, earliest first. */
export async function dueInShard(table: Table, shard: number, now: number, limit: number): Promise<Key[]> {
  const items = await dueItemsInShard(table, shard, now, limit);
  return items.map(({ key }) => key);
}

/** As `dueInShard`, with the time at which each item should have been woken. */
export async function dueItemsInShard(
  table: Table,
  shard: number,
  now: number,
  limit: number,
): Promise<DueItem[]> {
  const { Items } = await table.client.send(dueQuery(table.name, shard, now, limit));
  return v.parse(v.array(DueItemSchema), Items ?? []);
}

function dueQuery(tableName: string, shard: number, now: number, limit: number): QueryCommand {
  return new QueryCommand({
    TableName: tableName,
    IndexName: WAKE_INDEX,
    KeyConditionExpression: 'wake_shard = :shard AND wake_at <= :now',
    ExpressionAttributeValues: { ':shard': `WAKE#${shard}`, ':now': now },
    Limit: limit,
  });
}

/** Moves `wake_at` of an item that is still in the index. Returns false when it no longer is. */
export function postponeWake(table: Table, key: Key, wakeAt: number): Promise<boolean> {
  return writeIfUnchanged(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: key,
        UpdateExpression: 'SET wake_at = :wake',
        ConditionExpression: 'attribute_exists(wake_at)',
        ExpressionAttributeValues: { ':wake': wakeAt },
      }),
    ),
  );
}
