import { DeleteCommand, GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { PlatformId } from '../model/platform.ts';
import { ConnectionSchema, type Connection } from '../model/profile.ts';
import { holds, ttl, workspaceKey, type Key, type Table } from './table.ts';

/** One account per profile and platform: the key says so. */
const connectionKey = (workspaceId: string, profileId: string, platform: PlatformId): Key => ({
  PK: workspaceKey(workspaceId),
  SK: `CONNECTION#${profileId}#${platform}`,
});
const stateKey = (id: string): Key => ({ PK: `OAUTHSTATE#${id}`, SK: 'STATE' });

/** Stores a connection; an earlier one of the same profile and platform is replaced. */
export async function putConnection(table: Table, connection: Connection): Promise<void> {
  const key = connectionKey(connection.workspace_id, connection.profile_id, connection.platform);
  await table.client.send(new PutCommand({ TableName: table.name, Item: { ...key, ...connection } }));
}

export async function getConnection(
  table: Table,
  workspaceId: string,
  profileId: string,
  platform: PlatformId,
): Promise<Connection | null> {
  const { Item } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key: connectionKey(workspaceId, profileId, platform),
      ConsistentRead: true,
    }),
  );
  return Item ? v.parse(ConnectionSchema, Item) : null;
}

/** Connections of one profile, or of the whole workspace. */
export async function listConnections(
  table: Table,
  workspaceId: string,
  profileId?: string,
): Promise<Connection[]> {
  const prefix = profileId === undefined ? 'CONNECTION#' : `CONNECTION#${profileId}#`;
  const connections: Connection[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'PK = :pk AND begins_with(SK, :prefix)',
        ExpressionAttributeValues: { ':pk': workspaceKey(workspaceId), ':prefix': prefix },
        ...(start ? { ExclusiveStartKey: start } : {}),
      }),
    );
    connections.push(...v.parse(v.array(ConnectionSchema), page.Items ?? []));
    start = page.LastEvaluatedKey;
  } while (start);
  return connections;
}

export async function deleteConnection(table: Table, connection: Connection): Promise<void> {
  const Key = connectionKey(connection.workspace_id, connection.profile_id, connection.platform);
  await table.client.send(new DeleteCommand({ TableName: table.name, Key }));
}

/**
 * Takes the right to refresh these credentials alone until `until`. False when another worker has it, or when the
 * credentials are no longer those of `revision`.
 */
export function takeRefreshLease(
  table: Table,
  connection: Connection,
  now: number,
  until: number,
): Promise<boolean> {
  return updateConnection(table, connection, {
    set: { refresh_lease_until: until },
    condition: 'revision = :revision AND (refresh_lease_until = :none OR refresh_lease_until < :now)',
    values: { ':revision': connection.revision, ':none': null, ':now': now },
  });
}

/** Stores what a refresh gave; false when the credentials changed meanwhile. Ends the lease. */
export function saveCredentials(
  table: Table,
  connection: Connection,
  changed: Pick<Connection, 'sealed' | 'token_expires_at' | 'attributes'>,
): Promise<boolean> {
  return updateConnection(table, connection, {
    set: { ...changed, revision: connection.revision + 1, refresh_lease_until: null, needs_reconnect: false },
    condition: 'revision = :revision',
    values: { ':revision': connection.revision },
  });
}

/** Marks the account as lost; false when its credentials changed meanwhile, so that a fresh pair is never undone. */
export function markNeedsReconnect(table: Table, connection: Connection): Promise<boolean> {
  return updateConnection(table, connection, {
    set: { needs_reconnect: true, refresh_lease_until: null },
    condition: 'revision = :revision',
    values: { ':revision': connection.revision },
  });
}

/** Notes a limit that the platform announced for an account; false when the account was replaced meanwhile. */
export function noteAnnouncedLimit(
  table: Table,
  connection: Connection,
  limit: NonNullable<Connection['announced_limit']>,
): Promise<boolean> {
  return updateConnection(table, connection, {
    set: { announced_limit: limit },
    condition: 'attribute_exists(PK)',
    values: {},
  });
}

/** Ends a lease whose refresh failed without harm. */
export function dropRefreshLease(table: Table, connection: Connection): Promise<boolean> {
  return updateConnection(table, connection, {
    set: { refresh_lease_until: null },
    condition: 'revision = :revision',
    values: { ':revision': connection.revision },
  });
}

function updateConnection(
  table: Table,
  connection: Connection,
  change: { set: Record<string, unknown>; condition: string; values: Record<string, unknown> },
): Promise<boolean> {
  const fields = Object.entries(change.set);
  return holds(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: connectionKey(connection.workspace_id, connection.profile_id, connection.platform),
        UpdateExpression: `SET ${fields.map((_, index) => `#set${index} = :set${index}`).join(', ')}`,
        ConditionExpression: `id = :id AND ${change.condition}`,
        ExpressionAttributeNames: Object.fromEntries(fields.map(([name], index) => [`#set${index}`, name])),
        ExpressionAttributeValues: {
          ':id': connection.id,
          ...Object.fromEntries(fields.map(([, value], index) => [`:set${index}`, value])),
          ...change.values,
        },
      }),
    ),
  );
}

/** What must survive the trip to a platform's consent page. */
export const OAuthStateSchema = v.object({
  id: v.string(),
  workspace_id: v.string(),
  profile_id: v.string(),
  platform: v.string(),
  code_verifier: v.string(),
  redirect_uri: v.string(),
  return_to: v.nullable(v.string()),
  expires_at_ms: v.number(),
});
export type OAuthState = v.InferOutput<typeof OAuthStateSchema>;

export async function putOAuthState(table: Table, state: OAuthState): Promise<void> {
  const item = { ...stateKey(state.id), ...state, expires_at: ttl(state.expires_at_ms) };
  await table.client.send(new PutCommand({ TableName: table.name, Item: item }));
}

/** Reads a state and uses it up: the second call with the same id gets null. */
export async function takeOAuthState(table: Table, id: string): Promise<OAuthState | null> {
  const { Attributes } = await table.client.send(
    new DeleteCommand({ TableName: table.name, Key: stateKey(id), ReturnValues: 'ALL_OLD' }),
  );
  return Attributes ? v.parse(OAuthStateSchema, Attributes) : null;
}
