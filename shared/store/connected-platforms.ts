import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { readPlatformId, type PlatformId } from '../model/platform.ts';
import type { Key, Table } from './table.ts';

const KEY: Key = { PK: 'SERVICE', SK: 'CONNECTED-PLATFORMS' };

const PlatformsSchema = v.object({ platforms: v.set(v.string()) });

/** Records that an account of the platform is connected. Returns true the first time. */
export async function addConnectedPlatform(table: Table, platform: PlatformId): Promise<boolean> {
  const { Attributes } = await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: KEY,
      UpdateExpression: 'ADD platforms :platform',
      ExpressionAttributeValues: { ':platform': new Set([platform]) },
      ReturnValues: 'UPDATED_OLD',
    }),
  );
  const before = Attributes && v.parse(PlatformsSchema, Attributes);
  return before?.platforms.has(platform) !== true;
}

/** Lists the platforms to which an account has ever been connected. */
export async function connectedPlatforms(table: Table): Promise<PlatformId[]> {
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key: KEY }));
  if (!Item) return [];
  // A platform may have been removed from the service since.
  return [...v.parse(PlatformsSchema, Item).platforms].flatMap(name => readPlatformId(name) ?? []);
}
