import { DeleteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import {
  DueReadingSchema,
  FirstReadingsSchema,
  MetricsReadingSchema,
  type DueReading,
  type FirstReadings,
  type MetricsReading,
} from '../model/insight.ts';
import type { PlatformId } from '../model/platform.ts';
import { DAY } from '../time/instant.ts';
import { allOf, deleteKeys, getItems, KeySchema } from './query.ts';
import { shardOf, ttl, workspaceKey, type Key, type Table } from './table.ts';

/** A little longer than the window of best times, 90 days. */
const READING_TTL_MS = 97 * DAY;
/** A reading that was not made within this time is dropped. */
const DUE_TTL_MS = 14 * DAY;

export type MetricsReadingRef = Pick<MetricsReading, 'post_id' | 'platform' | 'published_at'>;

const prefixOf = (profileId: string) => `INSIGHT#${profileId}#`;

const readingKey = (
  workspaceId: string,
  profileId: string,
  { platform, published_at, post_id }: MetricsReadingRef,
): Key => ({
  PK: workspaceKey(workspaceId),
  SK: `${prefixOf(profileId)}${platform}#${published_at}#${post_id}`,
});

/** What is due: one reading of a post at a platform, or the first ones of a post at several. */
export type DueItem = DueReading | FirstReadings;

const DueItemSchema = v.union([DueReadingSchema, FirstReadingsSchema]);

/** What is due of a profile is in one partition, so that one call reads many posts of an account. */
const dueKey = (due: DueItem): Key => ({
  PK: `DUE-READINGS#${shardOf(due.profile_id)}`,
  SK: `${due.due_at}#${due.post_id}${'platform' in due ? `#${due.platform}` : ''}`,
});

/** Stores what is due; idempotent. */
export async function putDue(table: Table, due: DueItem): Promise<void> {
  const item = { ...dueKey(due), ...due, expires_at: ttl(due.due_at + DUE_TTL_MS) };
  await table.client.send(new PutCommand({ TableName: table.name, Item: item }));
}

export async function deleteDue(table: Table, due: DueItem): Promise<void> {
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: dueKey(due) }));
}

/** Lists what is due in a shard, the longest overdue first. */
export async function listDue(table: Table, shard: number, now: number, limit: number): Promise<DueItem[]> {
  const { Items } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'PK = :pk AND SK < :after',
      ExpressionAttributeValues: { ':pk': `DUE-READINGS#${shard}`, ':after': String(now + 1) },
      Limit: limit,
      ConsistentRead: true,
    }),
  );
  return v.parse(v.array(DueItemSchema), Items ?? []);
}

/** Stores the latest reading of a post, replacing the one before. */
export async function putMetricsReading(
  table: Table,
  workspaceId: string,
  profileId: string,
  reading: MetricsReading,
): Promise<void> {
  const key = readingKey(workspaceId, profileId, reading);
  const item = { ...key, ...reading, expires_at: ttl(reading.published_at + READING_TTL_MS) };
  await table.client.send(new PutCommand({ TableName: table.name, Item: item }));
}

/** Lists the readings of a profile's posts on a platform that were published after `since` (epoch milliseconds). */
export function listMetricsReadings(
  table: Table,
  workspaceId: string,
  profileId: string,
  platform: PlatformId,
  since: number,
): Promise<MetricsReading[]> {
  const prefix = `${prefixOf(profileId)}${platform}#`;
  const query = { workspace_id: workspaceId, prefix, after: `${prefix}${since}` };
  return allOf(table, query, MetricsReadingSchema);
}

/** Returns the readings of these posts; posts without a reading yet are missing. */
export async function getMetricsReadings(
  table: Table,
  workspaceId: string,
  profileId: string,
  refs: readonly MetricsReadingRef[],
): Promise<MetricsReading[]> {
  const keys = refs.map(ref => readingKey(workspaceId, profileId, ref));
  return getItems(table, keys, MetricsReadingSchema);
}

/** Deletes all readings of a profile. */
export async function deleteMetricsReadings(
  table: Table,
  workspaceId: string,
  profileId: string,
): Promise<void> {
  const query = { workspace_id: workspaceId, prefix: prefixOf(profileId), consistent: true };
  await deleteKeys(table, await allOf(table, query, KeySchema));
}
