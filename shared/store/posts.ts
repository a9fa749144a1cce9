import { DeleteCommand, GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import type { Destination } from '../model/destination.ts';
import type { PlatformId } from '../model/platform.ts';
import { PostSchema, type Post } from '../model/post.ts';
import { pagesOf } from './query.ts';
import { slotReservationDelete, slotReservationPut } from './queue.ts';
import { holds, wakeShard, workspaceKey, type Key, type Table } from './table.ts';
import { transact, type TransactItems } from './transact.ts';

const PREFIX = 'POST#';

const postKey = (workspaceId: string, postId: string): Key => ({
  PK: workspaceKey(workspaceId),
  SK: PREFIX + postId,
});

/** The post that a key of the wake index names; null when the key is another aggregate's. */
export function postOfKey(key: Key): { workspace_id: string; post_id: string } | null {
  if (!key.SK.startsWith(PREFIX)) return null;
  return { workspace_id: key.PK.slice(workspaceKey('').length), post_id: key.SK.slice(PREFIX.length) };
}

/**
 * How a write of a whole post ended. `stale`: the post is not as the writer expects it. `place_taken`: another post got
 * the place in the queue's slot. Nothing is written then.
 */
export type Written = 'written' | 'stale' | 'place_taken';

/** Stores a new post. `stale` when the id exists: an earlier run of the same request got this far. */
export function createPost(table: Table, post: Post): Promise<Written> {
  const absent = { ConditionExpression: 'attribute_not_exists(PK)' };
  return putPost(table, post, absent, slotReservationPut(table, null, post));
}

/** Reads a post, always as it is now: a worker that acts on an old copy loses its first conditional write. */
export async function getPost(table: Table, workspaceId: string, postId: string): Promise<Post | null> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: postKey(workspaceId, postId), ConsistentRead: true }),
  );
  return Item ? v.parse(PostSchema, Item) : null;
}

/**
 * Posts of a workspace, newest first, at most `limit`. `before` is the id after which to go on.
 * `more` tells whether older posts follow.
 */
export async function listPosts(
  table: Table,
  workspaceId: string,
  limit: number,
  before: string | null,
): Promise<{ posts: Post[]; more: boolean }> {
  const { Items, LastEvaluatedKey } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'PK = :pk AND begins_with(SK, :prefix)',
      ExpressionAttributeValues: { ':pk': workspaceKey(workspaceId), ':prefix': PREFIX },
      ScanIndexForward: false,
      Limit: limit,
      ...(before === null ? {} : { ExclusiveStartKey: postKey(workspaceId, before) }),
    }),
  );
  return { posts: v.parse(v.array(PostSchema), Items ?? []), more: LastEvaluatedKey !== undefined };
}

/**
 * Posts of a profile in which something is still to be done, page by page. Reads all posts of the workspace: for the
 * rare occasion that a profile goes.
 */
export function unsettledPostsOf(
  table: Table,
  workspaceId: string,
  profileId: string,
): AsyncGenerator<Post[], void> {
  const filter = {
    expression: 'profile_id = :profile AND attribute_exists(wake_at)',
    values: { ':profile': profileId },
  };
  return pagesOf(table, { workspace_id: workspaceId, prefix: PREFIX, consistent: true, filter }, PostSchema);
}

/**
 * Writes the next state of one destination, on the condition that nobody wrote it since `from` was read. An earlier
 * next look of the sweeper may come with it. Gives the whole post as it is then, or null when the condition failed.
 *
 * A client repeats a write whose answer was lost, and the repetition meets what the first one wrote: each write has a
 * name, by which its writer knows it again.
 */
export async function saveDestination(
  table: Table,
  post: Post,
  from: Destination,
  to: Destination,
  wakeAt?: number,
): Promise<Post | null> {
  const wake = wakeAt === undefined ? '' : ', wake_at = :wake, wake_shard = :shard';
  const written_by = randomBytes(6).toString('base64url');
  const command = new UpdateCommand({
    TableName: table.name,
    Key: postKey(post.workspace_id, post.post_id),
    UpdateExpression: `SET destinations.#platform = :to${wake}`,
    ConditionExpression: 'destinations.#platform.#revision = :revision AND #version = :version',
    ExpressionAttributeNames: { '#platform': to.platform, '#revision': 'revision', '#version': 'version' },
    ExpressionAttributeValues: {
      ':to': { ...to, written_by },
      ':revision': from.revision,
      ':version': post.version,
      ...(wakeAt === undefined ? {} : { ':wake': wakeAt, ':shard': wakeShard(post.post_id) }),
    },
    ReturnValues: 'ALL_NEW',
  });
  let after: Record<string, unknown> | undefined;
  const held = await holds(async () => {
    after = (await table.client.send(command)).Attributes;
  });
  if (held) return v.parse(PostSchema, after);
  const current = await getPost(table, post.workspace_id, post.post_id);
  return current?.destinations[to.platform]?.written_by === written_by ? current : null;
}

/**
 * Sets the sweeper's next look, or takes the post out of the index (`null`), on the condition that no destination
 * moved since the post was read. False when one did: whoever moved it cares for the rest.
 */
export function setWake(table: Table, post: Post, wakeAt: number | null): Promise<boolean> {
  const { expression, names, values } = unmoved(post);
  return holds(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: postKey(post.workspace_id, post.post_id),
        UpdateExpression:
          wakeAt === null ? 'REMOVE wake_at, wake_shard' : 'SET wake_at = :wake, wake_shard = :shard',
        ConditionExpression: expression,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: {
          ...values,
          ...(wakeAt === null ? {} : { ':wake': wakeAt, ':shard': wakeShard(post.post_id) }),
        },
      }),
    ),
  );
}

/** Puts `to` in the place of `from`, on the condition that `from` was not edited and no destination moved. */
export function replacePost(table: Table, from: Post, to: Post): Promise<Written> {
  const moves = [...slotReservationPut(table, from, to), ...slotReservationDelete(table, from, to)];
  return putPost(table, to, stillAs(from), moves);
}

/** Deletes a post on the condition that it was not edited and no destination moved. */
export async function deletePost(table: Table, post: Post): Promise<boolean> {
  const Key = postKey(post.workspace_id, post.post_id);
  const part = { TableName: table.name, Key, ...stillAs(post) };
  const alone = () => table.client.send(new DeleteCommand(part));
  const written = await writeWith(table, { Delete: part }, slotReservationDelete(table, post, null), alone);
  return written === 'written';
}

function putPost(table: Table, post: Post, condition: object, moves: TransactItems): Promise<Written> {
  const part = { TableName: table.name, Item: postItem(post), ...condition };
  return writeWith(table, { Put: part }, moves, () => table.client.send(new PutCommand(part)));
}

/** Writes a post: alone, or in one transaction with its moves in the queue, which costs twice as much. */
async function writeWith(
  table: Table,
  part: TransactItems[number],
  moves: TransactItems,
  alone: () => Promise<unknown>,
): Promise<Written> {
  if (moves.length === 0) return (await holds(alone)) ? 'written' : 'stale';
  const failed = await transact(table, [part, ...moves]);
  if (failed.length === 0) return 'written';
  return failed.includes(0) ? 'stale' : 'place_taken';
}

function stillAs(post: Post) {
  const { expression, names, values } = unmoved(post);
  return {
    ConditionExpression: expression,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  };
}

/** The condition that a post is still what was read: same version, and every destination at the same revision. */
function unmoved(post: Post): {
  expression: string;
  names: Record<string, string>;
  values: Record<string, unknown>;
} {
  const destinations = Object.values(post.destinations);
  const still = destinations.map((_, index) => `destinations.#p${index}.#revision = :r${index}`);
  return {
    expression: ['#version = :version', ...still].join(' AND '),
    names: {
      '#version': 'version',
      '#revision': 'revision',
      ...Object.fromEntries(destinations.map(({ platform }, index) => [`#p${index}`, platform])),
    },
    values: {
      ':version': post.version,
      ...Object.fromEntries(destinations.map(({ revision }, index) => [`:r${index}`, revision])),
    },
  };
}

/** A post as an item. The index holds it as long as it has a next look. */
function postItem(post: Post): Record<string, unknown> {
  const indexed = post.wake_at === undefined ? {} : { wake_shard: wakeShard(post.post_id) };
  return { ...postKey(post.workspace_id, post.post_id), ...post, ...indexed };
}

/** A destination of a post by its platform; null when the post does not go there. */
export function destinationOf(post: Post, platform: PlatformId): Destination | null {
  return post.destinations[platform] ?? null;
}
