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
import { counterChange, readCounter } from './counters.ts';
import { allOf } from './query.ts';
import { writeIfUnchanged, workspaceKey, type Key, type Table } from './table.ts';
import { newItem, transact, type TransactItem } from './transact.ts';

export const WORKSPACE_SORT_KEY = 'META';
/** Workspace and number of owners. A condition on the number keeps the last owner. */
const metaKey = (workspaceId: string): Key => ({ PK: workspaceKey(workspaceId), SK: WORKSPACE_SORT_KEY });
const memberKey = (workspaceId: string, userId: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: `MEMBER#${userId}`,
});
/** Uniqueness guard: an e-mail address is a member once. */
const emailKey = ({ workspace_id, email }: Pick<Member, 'workspace_id' | 'email'>): Key => ({
  PK: workspaceKey(workspace_id),
  SK: `EMAIL#${email.toLowerCase()}`,
});
const apiKeyKey = (hash: string): Key => ({ PK: `KEY#${hash}`, SK: 'KEY' });
/** Number of keys that are not revoked. The plan's limit is a condition on it. */
const keyCountKey = (workspaceId: string): Key => ({ PK: workspaceKey(workspaceId), SK: 'COUNT#KEYS' });
/** Lists the keys of a workspace that are not revoked, and finds one by its id. */
const keyReferenceKey = (workspaceId: string, keyId: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: `KEYREF#${keyId}`,
});

/** Creates a workspace with its first owner and first key in one transaction. */
export async function createWorkspace(
  table: Table,
  workspace: Workspace,
  owner: Member,
  apiKey: ApiKey,
): Promise<void> {
  const failed = await transact(table, [
    newItem(table, { ...metaKey(workspace.workspace_id), ...workspace, owners: 1 }),
    ...newMember(table, owner),
    ...newApiKey(table, apiKey, null),
  ]);
  if (failed.length > 0) throw new Error('An id of the new workspace already exists');
}

function newMember(table: Table, member: Member): TransactItem[] {
  const { workspace_id, user_id } = member;
  return [
    newItem(table, { ...memberKey(workspace_id, user_id), ...member }),
    newItem(table, { ...emailKey(member), user_id }),
  ];
}

function newApiKey(table: Table, apiKey: ApiKey, limit: number | null): TransactItem[] {
  return [
    newItem(table, { ...keyReferenceKey(apiKey.workspace_id, apiKey.key_id), ...apiKey }),
    newItem(table, { ...apiKeyKey(apiKey.key_hash), ...apiKey }),
    counterChange(table, keyCountKey(apiKey.workspace_id), 1, limit),
  ];
}

/** Returns the number of keys of a workspace that are not revoked. */
export const countApiKeys = (table: Table, workspaceId: string): Promise<number> =>
  readCounter(table, keyCountKey(workspaceId));

export async function getWorkspace(table: Table, workspaceId: string): Promise<Workspace | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: metaKey(workspaceId) }),
  );
  return Item ? v.parse(WorkspaceSchema, Item) : null;
}

/** False when the workspace does not exist. */
export function setPlan(table: Table, workspaceId: string, plan: Plan): Promise<boolean> {
  return writeIfUnchanged(() =>
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
 * Adds a member. False when the e-mail address is a member already. A member with this id was added by an earlier run
 * of the same request, which counts as success.
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

/** Lists the members of a workspace, oldest first. */
export function listMembers(table: Table, workspaceId: string): Promise<Member[]> {
  return allOf(table, { workspace_id: workspaceId, prefix: 'MEMBER#', consistent: true }, MemberSchema);
}

/** `stale`: the member was changed or removed since it was read. */
export type MemberChange = 'done' | 'last owner' | 'stale';

/** Changes name or role of a member. A workspace keeps at least one owner. */
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

/** Removes a member, whose keys stop working. A workspace keeps at least one owner. */
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

function changeOwners(table: Table, workspaceId: string, by: number): TransactItem {
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
  return failed.includes(0) ? 'stale' : 'last owner';
}

/**
 * Stores a new key. A key with this id was created by an earlier run of the same request, whose response was
 * lost: it is replaced, since its text is unknown. Returns false when the workspace has `limit` keys already.
 */
export async function addApiKey(table: Table, apiKey: ApiKey, limit: number | null): Promise<boolean> {
  const failed = await transact(table, newApiKey(table, apiKey, limit));
  if (failed.length === 0) return true;
  if (!failed.includes(0)) return false;
  const unknown = await getApiKey(table, apiKey.workspace_id, apiKey.key_id);
  const replaced = unknown !== null && (await replaceApiKey(table, unknown, apiKey));
  if (!replaced) throw new Error('The id of the new API key already exists');
  return true;
}

async function replaceApiKey(table: Table, old: ApiKey, apiKey: ApiKey): Promise<boolean> {
  const failed = await transact(table, [
    newItem(table, { ...apiKeyKey(apiKey.key_hash), ...apiKey }),
    { Delete: { TableName: table.name, Key: apiKeyKey(old.key_hash) } },
    {
      Put: {
        TableName: table.name,
        Item: { ...keyReferenceKey(apiKey.workspace_id, apiKey.key_id), ...apiKey },
        ConditionExpression: 'key_hash = :old',
        ExpressionAttributeValues: { ':old': old.key_hash },
      },
    },
  ]);
  return failed.length === 0;
}

export async function findApiKey(table: Table, hash: string): Promise<ApiKey | null> {
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key: apiKeyKey(hash) }));
  return Item ? v.parse(ApiKeySchema, Item) : null;
}

/** Lists the keys of a workspace that are not revoked, oldest first. */
export function listApiKeys(table: Table, workspaceId: string): Promise<ApiKey[]> {
  return allOf(table, { workspace_id: workspaceId, prefix: 'KEYREF#', consistent: true }, ApiKeySchema);
}

/** Returns a key of a workspace, or null if it does not exist or is revoked. */
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

/** Revokes a key. False when the workspace has no such key or it is revoked already. */
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
    counterChange(table, keyCountKey(workspaceId), -1, null),
  ]);
  return failed.length === 0;
}

/** Stores the time of last use in both items of the key: the one for lists and the one for authentication. */
export async function recordApiKeyUse(table: Table, apiKey: ApiKey, now: number): Promise<void> {
  for (const key of [keyReferenceKey(apiKey.workspace_id, apiKey.key_id), apiKeyKey(apiKey.key_hash)]) {
    await writeIfUnchanged(() =>
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
