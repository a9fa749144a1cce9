import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { SealedAppSchema } from '../model/platform-app.ts';
import { PlatformIdSchema, type PlatformId } from '../model/platform.ts';
import { ConnectionSchema, type Connection } from '../model/profile.ts';
import { DAY } from '../time/instant.ts';
import { allOf } from './query.ts';
import { writeIfUnchanged, ttl, wakeShard, workspaceKey, type Key, type Table } from './table.ts';

/** The key allows one account per profile and platform. */
const connectionKey = (workspaceId: string, profileId: string, platform: PlatformId): Key => ({
  PK: workspaceKey(workspaceId),
  SK: `CONNECTION#${profileId}#${platform}`,
});
/** Identifies a connection by its key. */
export type ConnectionRef = Pick<Connection, 'workspace_id' | 'profile_id' | 'platform'>;

const ConnectionKeySchema = v.tuple([v.literal('CONNECTION'), v.string(), PlatformIdSchema]);

/** The connection with this key; null when the key is another item's. */
export function connectionOfKey(key: Key): ConnectionRef | null {
  const parts = v.safeParse(ConnectionKeySchema, key.SK.split('#'));
  if (!parts.success) return null;
  const [, profile_id, platform] = parts.output;
  return { workspace_id: key.PK.slice(workspaceKey('').length), profile_id, platform };
}

const stateKey = (id: string): Key => ({ PK: `OAUTHSTATE#${id}`, SK: 'STATE' });

/** Stores a connection, replacing the one of the same profile and platform. */
export async function putConnection(table: Table, connection: Connection): Promise<void> {
  const { id, workspace_id, profile_id, platform } = connection;
  const key = connectionKey(workspace_id, profile_id, platform);
  const wakeAt = wakeTime(connection);
  const wake = wakeAt === null ? {} : { wake_at: wakeAt, wake_shard: wakeShard(id) };
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

/** Lists the connections of one profile, or of the whole workspace. */
export function listConnections(
  table: Table,
  workspaceId: string,
  profileId?: string,
): Promise<Connection[]> {
  const prefix = profileId === undefined ? 'CONNECTION#' : `CONNECTION#${profileId}#`;
  return allOf(table, { workspace_id: workspaceId, prefix }, ConnectionSchema);
}

/** Deletes a connection; one that replaced it meanwhile stays. */
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
 * Acquires the exclusive right to renew these credentials until `until`. False when another worker has it, or when the
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

/** Fields of a connection that a renewal changes. */
export type RenewedFields = Pick<Connection, 'sealed' | 'token_expires_at' | 'renew_at'> &
  Partial<Pick<Connection, 'attributes' | 'scopes' | 'display_name' | 'username' | 'avatar_url'>>;

/** Stores renewed credentials and releases the lease; false when the credentials changed meanwhile. */
export function saveCredentials(
  table: Table,
  connection: Connection,
  renewed: RenewedFields,
): Promise<boolean> {
  const wake = wakeChange(connection, renewed);
  return updateConnection(table, connection, {
    ...wake,
    set: {
      ...wake.set,
      ...renewed,
      revision: connection.revision + 1,
      renewal_lease_until: null,
      needs_reconnect: false,
    },
    condition: 'revision = :revision',
    values: { ':revision': connection.revision },
  });
}

/**
 * Marks that the user must reconnect, and lets the connection wake so that account.disconnected is sent. Returns false when
 * it is marked already, or when the credentials changed meanwhile: renewed ones are never undone.
 */
export function markNeedsReconnect(
  table: Table,
  connection: Connection,
  outbox: NonNullable<Connection['outbox']>,
): Promise<boolean> {
  return updateConnection(table, connection, {
    set: {
      needs_reconnect: true,
      renewal_lease_until: null,
      outbox,
      wake_at: outbox.at,
      wake_shard: wakeShard(connection.id),
    },
    condition: 'revision = :revision AND needs_reconnect = :false',
    values: { ':revision': connection.revision, ':false': false },
  });
}

/** Replaces credentials that have ended by ones that hold no secret; false when the account was replaced meanwhile. */
export function dropCredentials(table: Table, connection: Connection, sealed: string): Promise<boolean> {
  return updateConnection(table, connection, { set: { sealed, token_expires_at: null, renew_at: null } });
}

/**
 * Ends the wake-ups of an account whose event is sent. Returns false when the credentials changed meanwhile, or the account
 * must be reconnected only now: that is another event.
 */
export function endWakes(table: Table, connection: Connection): Promise<boolean> {
  return updateConnection(table, connection, {
    set: {},
    remove: ['wake_at', 'wake_shard', 'outbox'],
    condition: 'revision = :revision AND needs_reconnect = :needs_reconnect',
    values: { ':revision': connection.revision, ':needs_reconnect': connection.needs_reconnect },
  });
}

/** Stores the choice of the target for posts that name none; false when the account was replaced meanwhile. */
export function setDefaultTarget(
  table: Table,
  connection: Connection,
  choice: { default_target_id: string | null; needs_target: boolean },
): Promise<boolean> {
  return updateConnection(table, connection, { set: choice });
}

/** Stores a limit that the platform announced for an account; false when the account was replaced meanwhile. */
export function setAnnouncedLimit(
  table: Table,
  connection: Connection,
  limit: NonNullable<Connection['announced_limit']>,
): Promise<boolean> {
  return updateConnection(table, connection, { set: { announced_limit: limit } });
}

/** Stores facts that were read at `facts_at`; false when the account was replaced meanwhile. */
export function saveFacts(
  table: Table,
  connection: Connection,
  facts: { attributes: Record<string, string>; facts_at: number } & Partial<
    Pick<Connection, 'display_name' | 'username' | 'avatar_url'>
  >,
): Promise<boolean> {
  return updateConnection(table, connection, { set: facts });
}

/** Stores attributes of an account; false when the account was replaced meanwhile. */
export function setAttributes(
  table: Table,
  connection: Connection,
  attributes: Readonly<Record<string, string>>,
): Promise<boolean> {
  return updateConnection(table, connection, { set: { attributes } });
}

/** Releases the lease after a renewal that failed without effect. */
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
  /** Beside the id: a connection that was replaced is never changed. */
  condition?: string;
  values?: Record<string, unknown>;
}

/** How long before their end the owner of credentials that cannot be renewed is notified. */
export const EXPIRY_NOTICE_MS = 7 * DAY;

/** When a connection wakes: to be renewed, or to notify its owner that it cannot be renewed and expires soon. */
function wakeTime({
  renew_at,
  token_expires_at,
}: Pick<Connection, 'renew_at' | 'token_expires_at'>): number | null {
  if (renew_at !== null) return renew_at;
  return token_expires_at === null ? null : token_expires_at - EXPIRY_NOTICE_MS;
}

/** Sets or removes the wake time of a connection. */
function wakeChange(connection: Connection, renewed: RenewedFields): Pick<Change, 'set' | 'remove'> {
  const wakeAt = wakeTime(renewed);
  if (wakeAt === null) return { set: {}, remove: ['wake_at', 'wake_shard'] };
  return { set: { wake_at: wakeAt, wake_shard: wakeShard(connection.id) } };
}

function updateConnection(table: Table, connection: Connection, change: Change): Promise<boolean> {
  const fields = Object.entries(change.set);
  const assignments = fields.map((_, index) => `#set${index} = :set${index}`).join(', ');
  const set = assignments === '' ? '' : `SET ${assignments}`;
  const remove = change.remove?.length ? ` REMOVE ${change.remove.join(', ')}` : '';
  return writeIfUnchanged(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: connectionKey(connection.workspace_id, connection.profile_id, connection.platform),
        UpdateExpression: `${set}${remove}`,
        ConditionExpression: ['id = :id', change.condition].filter(Boolean).join(' AND '),
        ...(fields.length > 0 && {
          ExpressionAttributeNames: Object.fromEntries(fields.map(([name], index) => [`#set${index}`, name])),
        }),
        ExpressionAttributeValues: {
          ':id': connection.id,
          ...Object.fromEntries(fields.map(([, value], index) => [`:set${index}`, value])),
          ...change.values,
        },
      }),
    ),
  );
}

/** A pending authorization: what the callback of the consent page needs. */
const OAuthStateSchema = v.object({
  id: v.string(),
  workspace_id: v.string(),
  profile_id: v.string(),
  platform: v.string(),
  way: v.string(),
  /** The workspace's app that the user consents to; null for the stack's. */
  app: v.nullable(SealedAppSchema),
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

/** Returns a state and deletes it: a second call with the same id returns null. */
export async function consumeOAuthState(table: Table, id: string): Promise<OAuthState | null> {
  const { Attributes } = await table.client.send(
    new DeleteCommand({ TableName: table.name, Key: stateKey(id), ReturnValues: 'ALL_OLD' }),
  );
  return Attributes ? v.parse(OAuthStateSchema, Attributes) : null;
}
