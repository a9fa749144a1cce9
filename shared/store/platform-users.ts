import { DeleteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { PlatformIdSchema } from '../model/platform.ts';
import type { ConnectionRef } from './connections.ts';
import type { Key, Table } from './table.ts';

/*
 * Which connections belong to a user of a platform, in all workspaces: platforms name users, not connections, when
 * somebody removes the app or wants the data deleted.
 */

/** A user as a platform names it in callbacks. */
export interface PlatformUser {
  space: string;
  id: string;
}

const RefSchema = v.object({ workspace_id: v.string(), profile_id: v.string(), platform: PlatformIdSchema });

const partitionOf = ({ space, id }: PlatformUser) => `PLATFORMUSER#${space}#${id}`;

const refKey = (user: PlatformUser, { workspace_id, profile_id, platform }: ConnectionRef): Key => ({
  PK: partitionOf(user),
  SK: `CONNECTION#${workspace_id}#${profile_id}#${platform}`,
});

/** Notes that a connection belongs to a user. */
export async function putPlatformUser(table: Table, user: PlatformUser, ref: ConnectionRef): Promise<void> {
  const { workspace_id, profile_id, platform } = ref;
  const item = { ...refKey(user, ref), workspace_id, profile_id, platform };
  await table.client.send(new PutCommand({ TableName: table.name, Item: item }));
}

export async function deletePlatformUser(
  table: Table,
  user: PlatformUser,
  ref: ConnectionRef,
): Promise<void> {
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: refKey(user, ref) }));
}

/** Returns the connections of a user. One that was replaced or deleted meanwhile may still be named. */
export async function connectionsOfUser(table: Table, user: PlatformUser): Promise<ConnectionRef[]> {
  const { Items } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'PK = :pk',
      ExpressionAttributeValues: { ':pk': partitionOf(user) },
      ConsistentRead: true,
    }),
  );
  return v.parse(v.array(RefSchema), Items ?? []);
}
