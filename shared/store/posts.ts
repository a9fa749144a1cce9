import { DeleteCommand, GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { Destination } from '../model/destination.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import {
  contentKey,
  itemsOf,
  StoredItemSchema,
  wholePosts,
  withContentOf,
  type StoredItem,
} from './post-content.ts';
import { destinationItem, postKey, postOfKey, POST_PREFIX, storedId } from './post-item.ts';
import { ifUnchanged, unchangedCondition, unchangedDestination } from './post-conditions.ts';
import { POST_NAMES } from './post-names.ts';
import { getItems, pagesOf } from './query.ts';
import { slotReservationDelete, slotReservationPut } from './queue.ts';
import { writeIfUnchanged, wakeShard, workspaceKey, type Table } from './table.ts';
import { transact, type TransactItems } from './transact.ts';
import { newWriteId } from './write-id.ts';

/**
 * Result of writing a whole post. `stale`: the post changed since it was read. `slot_taken`: another post reserved the
 * queue slot. In both cases nothing is written.
 */
export type PostWriteResult = 'written' | 'stale' | 'slot_taken';

/** Stores a new post. Returns `stale` when the id exists: an earlier run of the same request stored it. */
export function createPost(table: Table, post: Post): Promise<PostWriteResult> {
  const absent = { ConditionExpression: 'attribute_not_exists(PK)' };
  return putPost(table, null, post, absent, slotReservationPut(table, null, post));
}

/** Each further read means that an edit came between the reads of a post and of its content. */
const MAX_READS = 10;

/** Reads a post consistently, or returns null. */
export async function getPost(table: Table, workspaceId: string, postId: string): Promise<Post | null> {
  const command = new GetCommand({
    TableName: table.name,
    Key: postKey(workspaceId, postId),
    ConsistentRead: true,
  });
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const { Item } = await table.client.send(command);
    if (!Item) return null;
    const [post] = await wholePosts(table, [v.parse(StoredItemSchema, Item)], true);
    if (post) return post;
  }
  throw new Error(`The post ${postId} was not read with its content in ${MAX_READS} attempts`);
}

/** Returns those of the posts that exist, in any order. Reads consistently. */
export async function getPosts(table: Table, workspaceId: string, ids: readonly string[]): Promise<Post[]> {
  const keys = ids.map(id => postKey(workspaceId, id));
  const items = await getItems(table, keys, StoredItemSchema, { consistent: true });
  return existingPosts(table, items, true);
}

/** Returns the posts of these items, in their order, without those that were deleted meanwhile. */
async function existingPosts(
  table: Table,
  items: readonly StoredItem[],
  consistent: boolean,
): Promise<Post[]> {
  const posts = await wholePosts(table, items, consistent);
  const current = await Promise.all(
    items.map(async (item, index) => {
      const ref = postOfKey(item);
      return posts[index] ?? (ref && (await getPost(table, ref.workspace_id, ref.post_id)));
    }),
  );
  return current.filter(post => post !== null);
}

/**
 * Returns at most `limit` posts of a workspace, newest first, starting after the post `before`. `more` is true when
 * older posts follow.
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
      ExpressionAttributeValues: { ':pk': workspaceKey(workspaceId), ':prefix': POST_PREFIX },
      ScanIndexForward: false,
      Limit: limit,
      ...(before === null ? {} : { ExclusiveStartKey: postKey(workspaceId, before) }),
    }),
  );
  const items = v.parse(v.array(StoredItemSchema), Items ?? []);
  return {
    posts: await existingPosts(table, items, false),
    more: LastEvaluatedKey !== undefined,
  };
}

/**
 * Returns the posts of a profile that are not settled, page by page. Reads every post of the workspace, so use it only
 * when a profile is deleted.
 */
export async function* unsettledPostsOf(
  table: Table,
  workspaceId: string,
  profileId: string,
): AsyncGenerator<Post[], void> {
  const filter = {
    expression: `${POST_NAMES.profile_id} = :profile AND attribute_exists(wake_at)`,
    values: { ':profile': storedId(profileId) },
  };
  const query = { workspace_id: workspaceId, prefix: POST_PREFIX, consistent: true, filter };
  for await (const items of pagesOf(table, query, StoredItemSchema)) {
    yield await existingPosts(table, items, true);
  }
}

/**
 * Writes the next state of one destination on the condition that it did not change since `from` was read, and with it
 * the time of the next sweep where `wakeAt` is given. Null removes the post from the wake index, on the condition that no
 * destination changed since `post` was read. Returns the whole post after the write, or null when the condition failed.
 *
 * The SDK repeats a write whose response was lost; the repetition then fails on the result of the first one. The id of
 * each write (`written_by`) tells that case from a write of another worker.
 */
export async function saveDestination(
  table: Table,
  post: Post,
  from: Destination,
  to: Destination,
  wakeAt?: number | null,
): Promise<Post | null> {
  const condition = wakeAt === null ? unchangedCondition(post) : unchangedDestination(post, from);
  const written_by = newWriteId();
  const command = new UpdateCommand({
    TableName: table.name,
    Key: postKey(post.workspace_id, post.post_id),
    UpdateExpression: `SET #destinations.#to = :to${wakeChange(wakeAt)}`,
    ConditionExpression: condition.expression,
    ExpressionAttributeNames: { ...condition.names, '#to': to.platform },
    ExpressionAttributeValues: {
      ...condition.values,
      ...wakeValues(post, wakeAt),
      ':to': destinationItem({ ...to, written_by }),
    },
    ReturnValues: 'ALL_NEW',
  });
  let after: Record<string, unknown> = {};
  const succeeded = await writeIfUnchanged(async () => {
    after = (await table.client.send(command)).Attributes ?? {};
  });
  if (succeeded) return withContentOf(post, after);
  const current = await getPost(table, post.workspace_id, post.post_id);
  return current?.destinations[to.platform]?.written_by === written_by ? current : null;
}

const SET_WAKE = 'wake_at = :wake, wake_shard = :shard';
const REMOVE_WAKE = 'REMOVE wake_at, wake_shard';

/** Returns what follows the first change of an expression. */
function wakeChange(wakeAt: number | null | undefined): string {
  if (wakeAt === undefined) return '';
  return wakeAt === null ? ` ${REMOVE_WAKE}` : `, ${SET_WAKE}`;
}

const wakeValues = ({ post_id }: Post, wakeAt: number | null | undefined) =>
  wakeAt == null ? {} : { ':wake': wakeAt, ':shard': wakeShard(post_id) };

/**
 * Sets when the sweeper checks the post next, or removes the post from the wake index (`null`), on the condition that
 * no destination changed since the post was read. Returns false when one did: the writer of that change sets the time.
 */
export function setWake(table: Table, post: Post, wakeAt: number | null): Promise<boolean> {
  const { expression, names, values } = unchangedCondition(post);
  return writeIfUnchanged(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: postKey(post.workspace_id, post.post_id),
        UpdateExpression: wakeAt === null ? REMOVE_WAKE : `SET ${SET_WAKE}`,
        ConditionExpression: expression,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: { ...values, ...wakeValues(post, wakeAt) },
      }),
    ),
  );
}

/**
 * Replaces `from` by `to` on the condition that `from` was not edited and no destination changed. Recognises its own
 * write as `saveDestination` does.
 */
export async function replacePost(table: Table, from: Post, to: Post): Promise<PostWriteResult> {
  const slotWrites = [...slotReservationPut(table, from, to), ...slotReservationDelete(table, from, to)];
  const written_by = newWriteId();
  const result = await putPost(table, from, { ...to, written_by }, ifUnchanged(from), slotWrites);
  if (result !== 'stale') return result;
  const current = await getPost(table, to.workspace_id, to.post_id);
  return current?.written_by === written_by ? 'written' : 'stale';
}

/**
 * Deletes a post on the condition that it was not edited and no destination changed. Returns true as well where the post
 * no longer exists: the SDK may have repeated the deletion because its response was lost.
 */
export async function deletePost(table: Table, post: Post): Promise<boolean> {
  const Key = postKey(post.workspace_id, post.post_id);
  const part = { TableName: table.name, Key, ...ifUnchanged(post) };
  const alone = () => table.client.send(new DeleteCommand(part));
  const others = [...contentDelete(table, post), ...slotReservationDelete(table, post, null)];
  const written = await writeWith(table, { Delete: part }, others, alone);
  return written === 'written' || (await getPost(table, post.workspace_id, post.post_id)) === null;
}

function putPost(
  table: Table,
  from: Post | null,
  to: Post,
  condition: object,
  slotWrites: TransactItems,
): Promise<PostWriteResult> {
  const { post: Item, content } = itemsOf(to);
  const part = { TableName: table.name, Item, ...condition };
  const contentWrites = content
    ? [{ Put: { TableName: table.name, Item: content } }]
    : contentDelete(table, from);
  return writeWith(table, { Put: part }, [...contentWrites, ...slotWrites], () =>
    table.client.send(new PutCommand(part)),
  );
}

/** Returns the write that deletes the content of a post, where it is an item of its own. */
const contentDelete = (table: Table, post: Post | null): TransactItems =>
  post?.content_id === undefined
    ? []
    : [{ Delete: { TableName: table.name, Key: contentKey(postKey(post.workspace_id, post.post_id)) } }];

/** Writes a post: alone, or in one transaction with its content and its slot reservations, which costs twice as much. */
async function writeWith(
  table: Table,
  part: TransactItems[number],
  others: TransactItems,
  alone: () => Promise<unknown>,
): Promise<PostWriteResult> {
  if (others.length === 0) return (await writeIfUnchanged(alone)) ? 'written' : 'stale';
  const failed = await transact(table, [part, ...others]);
  if (failed.length === 0) return 'written';
  return failed.includes(0) ? 'stale' : 'slot_taken';
}

/** Returns a post's destination on this platform, or null. */
export function destinationOf(post: Post, platform: PlatformId): Destination | null {
  return post.destinations[platform] ?? null;
}
