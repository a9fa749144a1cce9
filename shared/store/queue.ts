import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { Post } from '../model/post.ts';
import { QueueSettingsSchema, type SlotReservation, type QueueSettings } from '../model/queue.ts';
import { SECOND } from '../time/instant.ts';
import { allOf, deleteKeys, KeySchema } from './query.ts';
import { writeIfUnchanged, ttl, workspaceKey, type Key, type Table } from './table.ts';
import { newItem, type TransactItems } from './transact.ts';

/** The queue of a profile: its settings and one item per slot reservation. */
export interface Queue {
  settings: QueueSettings;
  /** Ascending by slot. */
  reservations: SlotReservation[];
}

type ProfileKey = Pick<Post, 'workspace_id' | 'profile_id'>;

const prefixOf = (profileId: string) => `QUEUE#${profileId}#`;
const SETTINGS = 'SETTINGS';
const SLOT = 'SLOT#';
const LOCK = 'LOCK';
/** The lock is held for a fraction of this; a holder that exceeds it has died. */
const LOCK_MS = 3 * SECOND;

const settingsKey = ({ workspace_id, profile_id }: ProfileKey): Key => ({
  PK: workspaceKey(workspace_id),
  SK: prefixOf(profile_id) + SETTINGS,
});

/** Sorts by time: epoch milliseconds have thirteen digits until the year 2286. */
const slotKey = ({ workspace_id, profile_id }: ProfileKey, at: number, position: number): Key => ({
  PK: workspaceKey(workspace_id),
  SK: `${prefixOf(profile_id)}${SLOT}${at}#${position}`,
});

const ItemSchema = v.object({
  SK: v.string(),
  post_id: v.optional(v.string()),
  ...QueueSettingsSchema.entries,
});

/** Reads the queue of a profile in one query. Reservations of past slots may be included until their TTL removes them. */
export async function getQueue(table: Table, workspaceId: string, profileId: string): Promise<Queue> {
  const prefix = prefixOf(profileId);
  const items = await allOf(table, { workspace_id: workspaceId, prefix, consistent: true }, ItemSchema);
  const settings = items.find(({ SK }) => SK === prefix + SETTINGS);
  return {
    settings: v.parse(QueueSettingsSchema, settings ?? {}),
    reservations: items.flatMap(({ SK, post_id }) =>
      SK.startsWith(prefix + SLOT) && post_id !== undefined
        ? [reservationOf(SK.slice(prefix.length + SLOT.length), post_id)]
        : [],
    ),
  };
}

function reservationOf(slot: string, post_id: string): SlotReservation {
  const [at = '', position = ''] = slot.split('#');
  return { at: Number(at), position: Number(position), post_id };
}

/** Changes the given settings and returns all settings. */
export async function changeQueueSettings(
  table: Table,
  workspaceId: string,
  profileId: string,
  changes: Partial<QueueSettings>,
): Promise<QueueSettings> {
  const given = Object.entries(changes);
  const { Attributes } = await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: settingsKey({ workspace_id: workspaceId, profile_id: profileId }),
      UpdateExpression: `SET ${given.map(([name]) => `#${name} = :${name}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(given.map(([name]) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(given.map(([name, value]) => [`:${name}`, value])),
      ReturnValues: 'ALL_NEW',
    }),
  );
  return v.parse(QueueSettingsSchema, Attributes ?? {});
}

const lockKey = ({ workspace_id, profile_id }: ProfileKey): Key => ({
  PK: workspaceKey(workspace_id),
  SK: prefixOf(profile_id) + LOCK,
});

/**
 * Acquires the lock of a profile's queue for a post; false while another post holds it. The lock only reduces
 * contention for the next slot: writing a post without it still cannot take a reserved position.
 */
export function acquireQueueLock(table: Table, post: Post, now: number): Promise<boolean> {
  const until = now + LOCK_MS;
  return writeIfUnchanged(() =>
    table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: { ...lockKey(post), holder: post.post_id, until, expires_at: ttl(until) },
        ConditionExpression: 'attribute_not_exists(PK) OR #until < :now',
        ExpressionAttributeNames: { '#until': 'until' },
        ExpressionAttributeValues: { ':now': now },
      }),
    ),
  );
}

/** Releases the lock where the post still holds it. */
export async function releaseQueueLock(table: Table, post: Post): Promise<void> {
  const command = new DeleteCommand({
    TableName: table.name,
    Key: lockKey(post),
    ConditionExpression: 'holder = :holder',
    ExpressionAttributeValues: { ':holder': post.post_id },
  });
  await writeIfUnchanged(() => table.client.send(command));
}

/** Deletes the settings and reservations of a profile. */
export async function deleteQueue(table: Table, workspaceId: string, profileId: string): Promise<void> {
  const query = { workspace_id: workspaceId, prefix: prefixOf(profileId), consistent: true };
  await deleteKeys(table, await allOf(table, query, KeySchema));
}

const reservedKey = (post: Post | null): Key | null =>
  post?.slot_number === undefined ? null : slotKey(post, post.due_at, post.slot_number);

const changesSlot = (from: Post | null, to: Post | null) => reservedKey(from)?.SK !== reservedKey(to)?.SK;

/*
 * A slot is reserved and released in the transaction that writes its post, so a reservation never outlives its post.
 */

/** Returns the transaction items that reserve the slot of `to`, which replaces `from`; empty where it is reserved already. */
export function slotReservationPut(table: Table, from: Post | null, to: Post): TransactItems {
  const key = reservedKey(to);
  if (!key || !changesSlot(from, to)) return [];
  const Item = { ...key, post_id: to.post_id, expires_at: ttl(to.due_at) };
  return [newItem(table, Item)];
}

/** Returns the transaction items that release the slot of `from`, which `to` replaces or which is deleted. */
export function slotReservationDelete(table: Table, from: Post, to: Post | null): TransactItems {
  const key = reservedKey(from);
  return key && changesSlot(from, to) ? [{ Delete: { TableName: table.name, Key: key } }] : [];
}
