import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { KeySchema } from '../../shared/store/query.ts';
import { WAKE_INDEX, type Key, type Table } from '../../shared/store/table.ts';

const DueSchema = v.object({ ...KeySchema.entries, wake_at: v.number() });

/** Returns the keys of all items that the sweeper would find now, earliest first; with one request, not one a shard. */
export async function dueKeys({ client, name }: Table, now: number): Promise<Key[]> {
  const items: v.InferOutput<typeof DueSchema>[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: name,
        IndexName: WAKE_INDEX,
        FilterExpression: 'wake_at <= :now',
        ExpressionAttributeValues: { ':now': now },
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    items.push(...v.parse(v.array(DueSchema), page.Items ?? []));
    start = page.LastEvaluatedKey;
  } while (start);
  return items.toSorted((a, b) => a.wake_at - b.wake_at).map(({ PK, SK }) => ({ PK, SK }));
}
