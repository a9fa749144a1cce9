import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { Post } from '../model/post.ts';
import { QueueSettingsSchema, type SlotReservation, type QueueSettings } from '../model/queue.ts';
import { SECOND } from '../time/instant.ts';
import { allOf, deleteKeys } from './query.ts';
import { holds, ttl, workspaceKey, type Key, type Table } from './table.ts';
import type { TransactItems } from './transact.ts';

/** The queue of a profile: its settings, and an item for each place in a slot that a post has taken. */
export interface Queue {
  settings: QueueSettings;
  /** In the order of their slots. */
  places: SlotReservation[];
}

type ProfileKey = Pick<Post, 'workspace_id' | 'profile_id'>;

const prefixOf = (profileId: string) => `QUEUE#${profileId}#`;
const SETTINGS = 'SETTINGS';
const PLACE = 'SLOT#';
const TURN = 'TURN';
/** A turn takes a fraction of this; whoever holds one longer is dead. */
const TURN_MS = 3 * SECOND;

const settingsKey = ({ workspace_id, profile_id }: ProfileKey): Key => ({
  PK: workspaceKey(workspace_id),
  SK: prefixOf(profile_id) + SETTINGS,
});

/** Sorts by time. Thirteen digits reach to the year 2286. */
const placeKey = ({ workspace_id, profile_id }: ProfileKey, at: number, place: number): Key => ({
  PK: workspaceKey(workspace_id),
  SK: `${prefixOf(profile_id)}${PLACE}${at}#${place}`,
});

const ItemSchema = v.object({
  SK: v.string(),
  post_id: v.optional(v.string()),
  ...QueueSettingsSchema.entries,
});

/** The queue of a profile as it is now, in one query. Places of slots that are over may still be among the others. */
export async function getQueue(table: Table, workspaceId: string, profileId: string): Promise<Queue> {
  const prefix = prefixOf(profileId);
  const items = await allOf(table, { workspace_id: workspaceId, prefix, consistent: true }, ItemSchema);
  const settings = items.find(({ SK }) => SK === prefix + SETTINGS);
  return {
    settings: v.parse(QueueSettingsSchema, settings ?? {}),
    places: items.flatMap(({ SK, post_id }) =>
      post_id === undefined ? [] : [placeOf(SK.slice(prefix.length + PLACE.length), post_id)],
    ),
  };
}

function placeOf(text: string, post_id: string): SlotReservation {
  const [at = '', place = ''] = text.split('#');
  return { at: Number(at), place: Number(place), post_id };
}

/** Changes what is named, and gives all settings as they are then. */
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

const turnKey = ({ workspace_id, profile_id }: ProfileKey): Key => ({
  PK: workspaceKey(workspace_id),
  SK: prefixOf(profile_id) + TURN,
});

/**
 * Asks for a post's turn, so that many who want a place at the same moment do not all reach for the same; false while
 * another has it. A courtesy: who does without is still kept off a taken place.
 */
export function acquireQueueLock(table: Table, post: Post, now: number): Promise<boolean> {
  const until = now + TURN_MS;
  return holds(() =>
    table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: { ...turnKey(post), holder: post.post_id, until, expires_at: ttl(until) },
        ConditionExpression: 'attribute_not_exists(PK) OR #until < :now',
        ExpressionAttributeNames: { '#until': 'until' },
        ExpressionAttributeValues: { ':now': now },
      }),
    ),
  );
}

/** Ends a post's turn; one that has passed to another is no fault. */
export async function releaseQueueLock(table: Table, post: Post): Promise<void> {
  const command = new DeleteCommand({
    TableName: table.name,
    Key: turnKey(post),
    ConditionExpression: 'holder = :holder',
    ExpressionAttributeValues: { ':holder': post.post_id },
  });
  await holds(() => table.client.send(command));
}

/** Deletes the settings and places of a profile. */
export async function deleteQueue(table: Table, workspaceId: string, profileId: string): Promise<void> {
  const query = { workspace_id: workspaceId, prefix: prefixOf(profileId), consistent: true };
  const items = await allOf(table, query, v.object({ PK: v.string(), SK: v.string() }));
  await deleteKeys(
    table,
    items.map(({ PK, SK }) => ({ PK, SK })),
  );
}

const heldKey = (post: Post | null): Key | null =>
  post?.slot_number === undefined ? null : placeKey(post, post.due_at, post.slot_number);

const isMoved = (from: Post | null, to: Post | null) => heldKey(from)?.SK !== heldKey(to)?.SK;

/*
 * A place is taken and left in the transaction that writes its post, so that none is ever held by a post that is not
 * there.
 */

/** The place that a post takes when `to` replaces `from`, as a part of that transaction; nothing where it has it. */
export function slotReservationPut(table: Table, from: Post | null, to: Post): TransactItems {
  const key = heldKey(to);
  if (!key || !isMoved(from, to)) return [];
  const Item = { ...key, post_id: to.post_id, expires_at: ttl(to.due_at) };
  return [{ Put: { TableName: table.name, Item, ConditionExpression: 'attribute_not_exists(PK)' } }];
}

/** The place that a post leaves when `to` replaces `from`, or when it is deleted. */
export function slotReservationDelete(table: Table, from: Post, to: Post | null): TransactItems {
  const key = heldKey(from);
  return key && isMoved(from, to) ? [{ Delete: { TableName: table.name, Key: key } }] : [];
}
