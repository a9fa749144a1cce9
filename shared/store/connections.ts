import { DeleteCommand, GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { PlatformIdSchema, type PlatformId } from '../model/platform.ts';
import { ConnectionSchema, type Connection } from '../model/profile.ts';
import { writeIfUnchanged, ttl, wakeShard, workspaceKey, type Key, type Table } from './table.ts';

/** One account per profile and platform: the key says so. */
const connectionKey = (workspaceId: string, profileId: string, platform: PlatformId): Key => ({
  PK: workspaceKey(workspaceId),
  SK: `CONNECTION#${profileId}#${platform}`,
});
/** What names a connection. */
export type ConnectionRef = Pick<Connection, 'workspace_id' | 'profile_id' | 'platform'>;

const ConnectionKeySchema = v.tuple([v.literal('CONNECTION'), v.string(), PlatformIdSchema]);

/** The connection that a key of the wake index names; null when the key is another aggregate's. */
export function connectionOfKey(key: Key): ConnectionRef | null {
  const parts = v.safeParse(ConnectionKeySchema, key.SK.split('#'));
  if (!parts.success) return null;
  const [, profile_id, platform] = parts.output;
  return { workspace_id: key.PK.slice(workspaceKey('').length), profile_id, platform };
}

const stateKey = (id: string): Key => ({ PK: `OAUTHSTATE#${id}`, SK: 'STATE' });

/**
 * Stores a connection; an earlier one of the same profile and platform is replaced. `renewAt`: when its credentials
 * are to be renewed ahead of their end (epoch ms); null where that is never.
 */
export async function putConnection(
  table: Table,
  connection: Connection,
  renewAt: number | null = null,
): Promise<void> {
  const key = connectionKey(connection.workspace_id, connection.profile_id, connection.platform);
  const wake = renewAt === null ? {} : { wake_at: renewAt, wake_shard: wakeShard(connection.id) };
  await table.client.send(
    new PutCommand({ TableName: table.name, Item: { ...key, ...connection, ...wake } }),
  );
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

/** Deletes a connection; another one that took its place meanwhile stays. */
export async function deleteConnection(table: Table, connection: Connection): Promise<void> {
  await writeIfUnchanged(() =>
    table.client.send(
      new DeleteCommand({
        TableName: table.name,
        Key: connectionKey(connection.workspace_id, connection.profile_id, connection.platform),
        ConditionExpression: 'id = :id',
        ExpressionAttributeValues: { ':id': connection.id },
      }),
    ),
  );
}

/**
 * Takes the right to refresh these credentials alone until `until`. False when another worker has it, or when the
 * credentials are no longer those of `revision`.
 */
export function acquireRenewalLease(
  table: Table,
  connection: Connection,
  now: number,
  until: number,
): Promise<boolean> {
  return updateConnection(table, connection, {
    set: { renewal_lease_until: until },
    condition: 'revision = :revision AND (renewal_lease_until = :none OR renewal_lease_until < :now)',
    values: { ':revision': connection.revision, ':none': null, ':now': now },
  });
}

/** Stores what a refresh gave; false when the credentials changed meanwhile. Ends the lease. */
export function saveCredentials(
  table: Table,
  connection: Connection,
  changed: Pick<Connection, 'sealed' | 'token_expires_at' | 'attributes'>,
  renewAt: number | null = null,
): Promise<boolean> {
  const wake = wakeChange(connection, renewAt);
  return updateConnection(table, connection, {
    ...wake,
    set: {
      ...wake.set,
      ...changed,
      revision: connection.revision + 1,
      renewal_lease_until: null,
      needs_reconnect: false,
    },
    condition: 'revision = :revision',
    values: { ':revision': connection.revision },
  });
}

/** Marks the account as lost; false when its credentials changed meanwhile, so that a fresh pair is never undone. */
export function markNeedsReconnect(table: Table, connection: Connection): Promise<boolean> {
  return updateConnection(table, connection, {
    remove: ['wake_at', 'wake_shard'],
    set: { needs_reconnect: true, renewal_lease_until: null },
    condition: 'revision = :revision',
    values: { ':revision': connection.revision },
  });
}

/** Chooses the target that posts go to which name none; null: the platform's own default. */
export function setDefaultTarget(
  table: Table,
  connection: Connection,
  targetId: string | null,
): Promise<boolean> {
  return updateConnection(table, connection, {
    set: { default_target_id: targetId },
    condition: 'attribute_exists(PK)',
    values: {},
  });
}

/** Notes a limit that the platform announced for an account; false when the account was replaced meanwhile. */
export function setAnnouncedLimit(
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
export function releaseRenewalLease(table: Table, connection: Connection): Promise<boolean> {
  return updateConnection(table, connection, {
    set: { renewal_lease_until: null },
    condition: 'revision = :revision',
    values: { ':revision': connection.revision },
  });
}

interface Change {
  set: Record<string, unknown>;
  remove?: readonly string[];
  condition: string;
  values: Record<string, unknown>;
}

/** Puts a connection into the index of what is to be renewed, or takes it out. */
function wakeChange(connection: Connection, renewAt: number | null): Pick<Change, 'set' | 'remove'> {
  if (renewAt === null) return { set: {}, remove: ['wake_at', 'wake_shard'] };
  return { set: { wake_at: renewAt, wake_shard: wakeShard(connection.id) } };
}

function updateConnection(table: Table, connection: Connection, change: Change): Promise<boolean> {
  const fields = Object.entries(change.set);
  const remove = change.remove?.length ? ` REMOVE ${change.remove.join(', ')}` : '';
  return writeIfUnchanged(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: connectionKey(connection.workspace_id, connection.profile_id, connection.platform),
        UpdateExpression: `SET ${fields.map((_, index) => `#set${index} = :set${index}`).join(', ')}${remove}`,
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
export async function consumeOAuthState(table: Table, id: string): Promise<OAuthState | null> {
  const { Attributes } = await table.client.send(
    new DeleteCommand({ TableName: table.name, Key: stateKey(id), ReturnValues: 'ALL_OLD' }),
  );
  return Attributes ? v.parse(OAuthStateSchema, Attributes) : null;
}
