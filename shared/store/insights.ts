import { BatchGetCommand, DeleteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import {
  DueReadingSchema,
  MetricsReadingSchema,
  type DueReading,
  type MetricsReading,
} from '../model/insight.ts';
import type { PlatformId } from '../model/platform.ts';
import { DAY } from '../time/instant.ts';
import { allOf, deleteKeys } from './query.ts';
import { shardOf, ttl, workspaceKey, type Key, type Table } from './table.ts';

/** Measurements are kept a little longer than anyone asks for them. */
const KEPT_MS = 97 * DAY;
/** A look that nobody had within this time is not worth having. */
const LOOK_KEPT_MS = 14 * DAY;

export type MetricsReadingRef = Pick<MetricsReading, 'post_id' | 'platform' | 'published_at'>;

const prefixOf = (profileId: string) => `INSIGHT#${profileId}#`;

const measurementKey = (
  workspaceId: string,
  profileId: string,
  { platform, published_at, post_id }: MetricsReadingRef,
): Key => ({
  PK: workspaceKey(workspaceId),
  SK: `${prefixOf(profileId)}${platform}#${published_at}#${post_id}`,
});

/** The looks of an account lie together, so that they are had together. */
const lookKey = ({ account_id, due_at, post_id, platform }: DueReading): Key => ({
  PK: `LOOKS#${shardOf(account_id)}`,
  SK: `${due_at}#${post_id}#${platform}`,
});

/** Notes a look. Noting it again changes nothing. */
export async function putDueReading(table: Table, look: DueReading): Promise<void> {
  const item = { ...lookKey(look), ...look, expires_at: ttl(look.due_at + LOOK_KEPT_MS) };
  await table.client.send(new PutCommand({ TableName: table.name, Item: item }));
}

export async function deleteDueReading(table: Table, look: DueReading): Promise<void> {
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: lookKey(look) }));
}

/** Looks of a shard whose time has come, the longest due first. */
export async function listDueReadings(
  table: Table,
  shard: number,
  now: number,
  limit: number,
): Promise<DueReading[]> {
  const { Items } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'PK = :pk AND SK < :after',
      ExpressionAttributeValues: { ':pk': `LOOKS#${shard}`, ':after': String(now + 1) },
      Limit: limit,
      ConsistentRead: true,
    }),
  );
  return v.parse(v.array(DueReadingSchema), Items ?? []);
}

/** Stores the latest measurement of a post in the place of the one before. */
export async function putMetricsReading(
  table: Table,
  workspaceId: string,
  profileId: string,
  measurement: MetricsReading,
): Promise<void> {
  const key = measurementKey(workspaceId, profileId, measurement);
  const item = { ...key, ...measurement, expires_at: ttl(measurement.published_at + KEPT_MS) };
  await table.client.send(new PutCommand({ TableName: table.name, Item: item }));
}

/** Measurements of a profile's posts on a platform that were published after a time. */
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

/** The measurements of these live posts; those that were not measured yet are left out. At most 100. */
export async function getMetricsReadings(
  table: Table,
  workspaceId: string,
  profileId: string,
  refs: readonly MetricsReadingRef[],
): Promise<MetricsReading[]> {
  if (refs.length === 0) return [];
  const Keys = refs.map(ref => measurementKey(workspaceId, profileId, ref));
  const { Responses } = await table.client.send(
    new BatchGetCommand({ RequestItems: { [table.name]: { Keys } } }),
  );
  return v.parse(v.array(MetricsReadingSchema), Responses?.[table.name] ?? []);
}

/** Deletes all measurements of a profile. */
export async function deleteMetricsReadings(
  table: Table,
  workspaceId: string,
  profileId: string,
): Promise<void> {
  const query = { workspace_id: workspaceId, prefix: prefixOf(profileId), consistent: true };
  await deleteKeys(table, await allOf(table, query, v.object({ PK: v.string(), SK: v.string() })));
}
