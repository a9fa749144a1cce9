import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, GetCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { ProfileSchema, type Profile } from '../model/profile.ts';
import { workspaceKey, type Key, type Table } from './table.ts';

const profileKey = (workspaceId: string, id: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: `PROFILE#${id}`,
});
/** Guards: one item a taken name. They hold the profile, so that a post finds it by name in one read. */
const usernameKey = (workspaceId: string, username: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: `USERNAME#${foldName(username)}`,
});
const nameKey = (workspaceId: string, name: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: `NAME#${foldName(name)}`,
});

/** Two names are the same when they differ only in case or compatible spelling. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFKC').trim();
}

/** Stores a profile and its name guards, all or nothing. False when a name is taken. */
export async function createProfile(table: Table, profile: Profile): Promise<boolean> {
  const { workspace_id, id, username, profile_name } = profile;
  const items = [
    { ...profileKey(workspace_id, id), ...profile },
    { ...usernameKey(workspace_id, username), ...profile },
    { ...nameKey(workspace_id, profile_name), ...profile },
  ];
  try {
    await table.client.send(
      new TransactWriteCommand({
        TransactItems: items.map(Item => ({
          Put: { TableName: table.name, Item, ConditionExpression: 'attribute_not_exists(PK)' },
        })),
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof TransactionCanceledException) return false;
    throw error;
  }
}

/** Removes a profile and frees its names. */
export async function deleteProfile(table: Table, profile: Profile): Promise<void> {
  const { workspace_id, id, username, profile_name } = profile;
  const keys = [
    profileKey(workspace_id, id),
    usernameKey(workspace_id, username),
    nameKey(workspace_id, profile_name),
  ];
  await table.client.send(
    new TransactWriteCommand({
      TransactItems: keys.map(Key => ({ Delete: { TableName: table.name, Key } })),
    }),
  );
}

export async function getProfile(table: Table, workspaceId: string, id: string): Promise<Profile | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: profileKey(workspaceId, id) }),
  );
  return Item ? v.parse(ProfileSchema, Item) : null;
}

/** All profiles of a workspace; a plan bounds their number. */
export async function listProfiles(table: Table, workspaceId: string): Promise<Profile[]> {
  const profiles: Profile[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'PK = :pk AND begins_with(SK, :prefix)',
        ExpressionAttributeValues: { ':pk': workspaceKey(workspaceId), ':prefix': 'PROFILE#' },
        ...(start ? { ExclusiveStartKey: start } : {}),
      }),
    );
    profiles.push(...v.parse(v.array(ProfileSchema), page.Items ?? []));
    start = page.LastEvaluatedKey;
  } while (start);
  return profiles;
}

/** The profile that a post names: `profile_name` exactly first, then `username`. */
export async function findProfileByName(
  table: Table,
  workspaceId: string,
  name: string,
): Promise<Profile | null> {
  if (foldName(name) === '') return null;
  const { Responses } = await table.client.send(
    new BatchGetCommand({
      RequestItems: { [table.name]: { Keys: [nameKey(workspaceId, name), usernameKey(workspaceId, name)] } },
    }),
  );
  const found = v.parse(v.array(ProfileSchema), Responses?.[table.name] ?? []);
  return (
    found.find(profile => profile.profile_name === name) ??
    found.find(profile => profile.username === name) ??
    null
  );
}
