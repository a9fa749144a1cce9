import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { WorkspaceAppSchema, type WorkspaceApp } from '../model/platform-app.ts';
import type { PlatformId } from '../model/platform.ts';
import { writeIfUnchanged, workspaceKey, type Key, type Table } from './table.ts';

const appKey = (workspaceId: string, platform: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: `PLATFORMAPP#${platform}`,
});

/** Stores a workspace's own app at a platform, replacing an earlier one. */
export async function putWorkspaceApp(table: Table, app: WorkspaceApp): Promise<void> {
  const item = { ...appKey(app.workspace_id, app.platform), ...app };
  await table.client.send(new PutCommand({ TableName: table.name, Item: item }));
}

export async function getWorkspaceApp(
  table: Table,
  workspaceId: string,
  platform: PlatformId,
): Promise<WorkspaceApp | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: appKey(workspaceId, platform) }),
  );
  return Item ? v.parse(WorkspaceAppSchema, Item) : null;
}

/** Deletes a workspace's app; false when there is none. */
export function deleteWorkspaceApp(
  table: Table,
  workspaceId: string,
  platform: PlatformId,
): Promise<boolean> {
  return writeIfUnchanged(() =>
    table.client.send(
      new DeleteCommand({
        TableName: table.name,
        Key: appKey(workspaceId, platform),
        ConditionExpression: 'attribute_exists(PK)',
      }),
    ),
  );
}
