import { GetCommand, QueryCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import {
  ApiKeySchema,
  MemberSchema,
  WorkspaceSchema,
  type ApiKey,
  type Member,
  type Plan,
  type Workspace,
} from '../model/workspace.ts';
import { holds, workspaceKey, type Key, type Table } from './table.ts';

const metaKey = (workspaceId: string): Key => ({ PK: workspaceKey(workspaceId), SK: 'META' });
const memberKey = (workspaceId: string, userId: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: `MEMBER#${userId}`,
});
const apiKeyKey = (hash: string): Key => ({ PK: `KEY#${hash}`, SK: 'KEY' });
/** Lists a workspace's keys and finds one by its id; holds the hash alone. */
const keyReferenceKey = (workspaceId: string, keyId: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: `KEYREF#${keyId}`,
});

/** Creates a workspace with its first owner and first key, all or nothing. */
export async function createWorkspace(
  table: Table,
  workspace: Workspace,
  owner: Member,
  apiKey: ApiKey,
): Promise<void> {
  await table.client.send(
    new TransactWriteCommand({
      TransactItems: [
        put(table, { ...metaKey(workspace.workspace_id), ...workspace }),
        put(table, { ...memberKey(owner.workspace_id, owner.user_id), ...owner }),
        ...putApiKey(table, apiKey),
      ],
    }),
  );
}

export async function addApiKey(table: Table, apiKey: ApiKey): Promise<void> {
  await table.client.send(new TransactWriteCommand({ TransactItems: putApiKey(table, apiKey) }));
}

function putApiKey(table: Table, apiKey: ApiKey) {
  return [
    put(table, { ...apiKeyKey(apiKey.key_hash), ...apiKey }),
    put(table, {
      ...keyReferenceKey(apiKey.workspace_id, apiKey.key_id),
      key_id: apiKey.key_id,
      key_hash: apiKey.key_hash,
    }),
  ];
}

function put(table: Table, item: Key & Record<string, unknown>) {
  return { Put: { TableName: table.name, Item: item, ConditionExpression: 'attribute_not_exists(PK)' } };
}

export async function getWorkspace(table: Table, workspaceId: string): Promise<Workspace | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: metaKey(workspaceId) }),
  );
  return Item ? v.parse(WorkspaceSchema, Item) : null;
}

export async function getMember(table: Table, workspaceId: string, userId: string): Promise<Member | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: memberKey(workspaceId, userId) }),
  );
  return Item ? v.parse(MemberSchema, Item) : null;
}

/** Members of a workspace, at most a few hundred. */
export async function listMembers(table: Table, workspaceId: string): Promise<Member[]> {
  const { Items } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'PK = :pk AND begins_with(SK, :prefix)',
      ExpressionAttributeValues: { ':pk': workspaceKey(workspaceId), ':prefix': 'MEMBER#' },
    }),
  );
  return v.parse(v.array(MemberSchema), Items ?? []);
}

export async function findApiKey(table: Table, hash: string): Promise<ApiKey | null> {
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key: apiKeyKey(hash) }));
  return Item ? v.parse(ApiKeySchema, Item) : null;
}

/** False when the workspace does not exist. */
export function setPlan(table: Table, workspaceId: string, plan: Plan): Promise<boolean> {
  return holds(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: metaKey(workspaceId),
        UpdateExpression: 'SET #plan = :plan',
        ConditionExpression: 'attribute_exists(PK)',
        ExpressionAttributeNames: { '#plan': 'plan' },
        ExpressionAttributeValues: { ':plan': plan },
      }),
    ),
  );
}

const KeyReferenceSchema = v.object({ key_id: v.string(), key_hash: v.string() });

/** False when the workspace has no such key, or it is revoked already. */
export async function revokeApiKey(
  table: Table,
  workspaceId: string,
  keyId: string,
  now: number,
): Promise<boolean> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: keyReferenceKey(workspaceId, keyId) }),
  );
  if (!Item) return false;
  const reference = v.parse(KeyReferenceSchema, Item);
  return holds(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: apiKeyKey(reference.key_hash),
        UpdateExpression: 'SET revoked_at = :now',
        ConditionExpression: 'workspace_id = :workspace AND revoked_at = :none',
        ExpressionAttributeValues: { ':now': now, ':workspace': workspaceId, ':none': null },
      }),
    ),
  );
}
