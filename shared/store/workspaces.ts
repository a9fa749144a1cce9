import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
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
import { allOf } from './query.ts';
import { holds, workspaceKey, type Key, type Table } from './table.ts';
import { transact, type TransactItems } from './transact.ts';

/** The workspace, and how many owners it has: the last one cannot go, which is a condition on the number. */
const metaKey = (workspaceId: string): Key => ({ PK: workspaceKey(workspaceId), SK: 'META' });
const memberKey = (workspaceId: string, userId: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: `MEMBER#${userId}`,
});
/** Guard: an address is a member once. */
const emailKey = ({ workspace_id, email }: Pick<Member, 'workspace_id' | 'email'>): Key => ({
  PK: workspaceKey(workspace_id),
  SK: `EMAIL#${email.toLowerCase()}`,
});
const apiKeyKey = (hash: string): Key => ({ PK: `KEY#${hash}`, SK: 'KEY' });
/** Lists a workspace's keys in use, and finds one by its id. */
const keyReferenceKey = (workspaceId: string, keyId: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: `KEYREF#${keyId}`,
});

type Part = TransactItems[number];

/** Creates a workspace with its first owner and first key, all or nothing. */
export async function createWorkspace(
  table: Table,
  workspace: Workspace,
  owner: Member,
  apiKey: ApiKey,
): Promise<void> {
  const failed = await transact(table, [
    newItem(table, { ...metaKey(workspace.workspace_id), ...workspace, owners: 1 }),
    ...newMember(table, owner),
    ...newApiKey(table, apiKey),
  ]);
  if (failed.length > 0) throw new Error('The ids of the new workspace are taken');
}

function newItem(table: Table, item: Key & Record<string, unknown>): Part {
  return { Put: { TableName: table.name, Item: item, ConditionExpression: 'attribute_not_exists(PK)' } };
}

function newMember(table: Table, member: Member): Part[] {
  const { workspace_id, user_id } = member;
  return [
    newItem(table, { ...memberKey(workspace_id, user_id), ...member }),
    newItem(table, { ...emailKey(member), user_id }),
  ];
}

function newApiKey(table: Table, apiKey: ApiKey): Part[] {
  return [
    newItem(table, { ...apiKeyKey(apiKey.key_hash), ...apiKey }),
    newItem(table, { ...keyReferenceKey(apiKey.workspace_id, apiKey.key_id), ...apiKey }),
  ];
}

export async function getWorkspace(table: Table, workspaceId: string): Promise<Workspace | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: metaKey(workspaceId) }),
  );
  return Item ? v.parse(WorkspaceSchema, Item) : null;
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

/**
 * Adds a member. False when the address is one already; a member of this id is there when an earlier run of the same
 * request got this far.
 */
export async function addMember(table: Table, member: Member): Promise<boolean> {
  const owners = member.role === 'owner' ? [changeOwners(table, member.workspace_id, 1)] : [];
  const failed = await transact(table, [...newMember(table, member), ...owners]);
  return failed.length === 0 || failed.includes(0);
}

export async function getMember(table: Table, workspaceId: string, userId: string): Promise<Member | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: memberKey(workspaceId, userId) }),
  );
  return Item ? v.parse(MemberSchema, Item) : null;
}

/** Members of a workspace, the oldest first. */
export function listMembers(table: Table, workspaceId: string): Promise<Member[]> {
  return allOf(table, { workspace_id: workspaceId, prefix: 'MEMBER#', consistent: true }, MemberSchema);
}

/** What became of a change to a member. `moved`: it was changed or removed since it was read. */
export type MemberChange = 'done' | 'last owner' | 'moved';

/** Changes a member's name or role; a workspace keeps at least one owner. */
export async function updateMember(
  table: Table,
  member: Member,
  changes: Partial<Pick<Member, 'name' | 'role'>>,
): Promise<MemberChange> {
  const changed = { ...member, ...changes };
  const more = Number(changed.role === 'owner') - Number(member.role === 'owner');
  const failed = await transact(table, [
    {
      Put: {
        TableName: table.name,
        Item: { ...memberKey(member.workspace_id, member.user_id), ...changed },
        ...stillHasRole(member),
      },
    },
    ...(more === 0 ? [] : [changeOwners(table, member.workspace_id, more)]),
  ]);
  return outcome(failed);
}

/** Removes a member, whose keys are worth nothing from then on; a workspace keeps at least one owner. */
export async function removeMember(table: Table, member: Member): Promise<MemberChange> {
  const { workspace_id, user_id, role } = member;
  const failed = await transact(table, [
    { Delete: { TableName: table.name, Key: memberKey(workspace_id, user_id), ...stillHasRole(member) } },
    { Delete: { TableName: table.name, Key: emailKey(member) } },
    ...(role === 'owner' ? [changeOwners(table, workspace_id, -1)] : []),
  ]);
  return outcome(failed);
}

const stillHasRole = ({ role }: Member) => ({
  ConditionExpression: '#role = :role',
  ExpressionAttributeNames: { '#role': 'role' },
  ExpressionAttributeValues: { ':role': role },
});

function changeOwners(table: Table, workspaceId: string, by: number): Part {
  return {
    Update: {
      TableName: table.name,
      Key: metaKey(workspaceId),
      UpdateExpression: 'ADD owners :by',
      ConditionExpression: by > 0 ? 'attribute_exists(PK)' : 'owners > :one',
      ExpressionAttributeValues: { ':by': by, ...(by > 0 ? {} : { ':one': 1 }) },
    },
  };
}

function outcome(failed: readonly number[]): MemberChange {
  if (failed.length === 0) return 'done';
  return failed.includes(0) ? 'moved' : 'last owner';
}

/**
 * Stores a new key. One of this id was made by an earlier run of the same request, whose answer nobody got: it gives
 * way, since its text is known to nobody.
 */
export async function addApiKey(table: Table, apiKey: ApiKey): Promise<void> {
  const failed = await transact(table, newApiKey(table, apiKey));
  if (failed.length === 0) return;
  const lost = await getApiKey(table, apiKey.workspace_id, apiKey.key_id);
  const replaced = lost !== null && (await replaceApiKey(table, lost, apiKey));
  if (!replaced) throw new Error('The id of the new key is taken');
}

async function replaceApiKey(table: Table, lost: ApiKey, apiKey: ApiKey): Promise<boolean> {
  const failed = await transact(table, [
    newItem(table, { ...apiKeyKey(apiKey.key_hash), ...apiKey }),
    { Delete: { TableName: table.name, Key: apiKeyKey(lost.key_hash) } },
    {
      Put: {
        TableName: table.name,
        Item: { ...keyReferenceKey(apiKey.workspace_id, apiKey.key_id), ...apiKey },
        ConditionExpression: 'key_hash = :lost',
        ExpressionAttributeValues: { ':lost': lost.key_hash },
      },
    },
  ]);
  return failed.length === 0;
}

export async function findApiKey(table: Table, hash: string): Promise<ApiKey | null> {
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key: apiKeyKey(hash) }));
  return Item ? v.parse(ApiKeySchema, Item) : null;
}

/** Keys of a workspace that are not revoked, the oldest first. */
export function listApiKeys(table: Table, workspaceId: string): Promise<ApiKey[]> {
  return allOf(table, { workspace_id: workspaceId, prefix: 'KEYREF#', consistent: true }, ApiKeySchema);
}

/** A key of a workspace that is not revoked. */
export async function getApiKey(table: Table, workspaceId: string, keyId: string): Promise<ApiKey | null> {
  const { Item } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key: keyReferenceKey(workspaceId, keyId),
      ConsistentRead: true,
    }),
  );
  return Item ? v.parse(ApiKeySchema, Item) : null;
}

/** False when the workspace has no such key, or it is revoked already. */
export async function revokeApiKey(
  table: Table,
  workspaceId: string,
  keyId: string,
  now: number,
): Promise<boolean> {
  const apiKey = await getApiKey(table, workspaceId, keyId);
  if (!apiKey) return false;
  const failed = await transact(table, [
    {
      Update: {
        TableName: table.name,
        Key: apiKeyKey(apiKey.key_hash),
        UpdateExpression: 'SET revoked_at = :now',
        ConditionExpression: 'revoked_at = :none',
        ExpressionAttributeValues: { ':now': now, ':none': null },
      },
    },
    { Delete: { TableName: table.name, Key: keyReferenceKey(workspaceId, keyId) } },
  ]);
  return failed.length === 0;
}

/** Notes when a key was last used: where keys are listed, and where the next use finds it. */
export async function touchApiKey(table: Table, apiKey: ApiKey, now: number): Promise<void> {
  for (const key of [keyReferenceKey(apiKey.workspace_id, apiKey.key_id), apiKeyKey(apiKey.key_hash)]) {
    await holds(() =>
      table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: key,
          UpdateExpression: 'SET last_used_at = :now',
          ConditionExpression: 'attribute_exists(PK)',
          ExpressionAttributeValues: { ':now': now },
        }),
      ),
    );
  }
}
