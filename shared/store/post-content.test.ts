import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  type DynamoDBDocumentClient,
} from '@aws-sdk/lib-dynamodb';
import { newPendingPost } from '../../test/support/delivery-world.ts';
import { createTestTable } from '../../test/support/table.ts';
import { newId } from '../model/id.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import { contentKey } from './post-content.ts';
import { postKey } from './post-item.ts';
import {
  createPost,
  deletePost,
  getPost,
  getPosts,
  listPosts,
  replacePost,
  saveDestination,
  unsettledPostsOf,
} from './posts.ts';
import type { Key, Table } from './table.ts';

const NOW = 1_800_000_000_000;
const LONG = 'A text that is too long for the item of its post. '.repeat(40);

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

async function stored(change: Partial<Post> = {}, platforms: readonly PlatformId[] = ['x', 'linkedin']) {
  const post: Post = {
    ...newPendingPost(NOW, platforms),
    workspace_id: newId(),
    wake_at: NOW,
    description: LONG,
    options: { x_reply_settings: 'following' },
    ...change,
  };
  expect(await createPost(table, post)).toBe('written');
  return post;
}

const keyOf = ({ workspace_id, post_id }: Post) => postKey(workspace_id, post_id);
const read = ({ workspace_id, post_id }: Post, from: Table = table) => getPost(from, workspace_id, post_id);

async function item(Key: Key) {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key, ConsistentRead: true }),
  );
  return Item;
}
const contentItem = (post: Post) => item(contentKey(keyOf(post)));
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Without what storing a post adds. */
const asCreated = ({ content_id: _, written_by: __, ...post }: Post) => post;

/** A table on which `act` runs once, after a post's own item was read and before its content is. */
function tableWithEdit(act: () => Promise<unknown>): Table {
  let isDone = false;
  const send = async (command: object) => {
    if (!isDone && command instanceof BatchGetCommand) {
      isDone = true;
      await act();
    }
    return table.client.send(command as never);
  };
  return { name: table.name, client: { send } as unknown as DynamoDBDocumentClient };
}

describe('the content of a long post', () => {
  test('is an item of its own', async () => {
    const post = await stored();
    expect(bytes(await item(keyOf(post)))).toBeLessThan(1024);
    expect(bytes(await contentItem(post))).toBeGreaterThan(LONG.length);
    expect(asCreated((await read(post))!)).toEqual(post);
  });

  test.each([
    ['is short', { description: 'Hello' }, ['x', 'linkedin']],
    ['goes to a single platform', {}, ['linkedin']],
  ] as const)('stays in the item of a post that %s', async (_, change, platforms) => {
    const post = await stored(change, platforms);
    expect(await contentItem(post)).toBeUndefined();
    expect(await read(post)).toEqual(post);
  });

  test('is part of the post that a write of a destination returns', async () => {
    const post = await stored();
    const current = (await read(post))!;
    const from = current.destinations.x!;
    const to = { ...from, status: 'publishing', lease_until: NOW, checkpoint: null, intent: null } as const;
    const after = await saveDestination(table, current, from, to);
    expect(after).toEqual(await read(post));
    expect(after).toMatchObject({ description: LONG, destinations: { x: { status: 'publishing' } } });
  });

  test('is part of every post of a list', async () => {
    const post = await stored();
    const { workspace_id, profile_id } = post;
    const short = await stored({ workspace_id, profile_id, description: 'Hello', post_id: newId(NOW + 1) });
    const other = await stored({ workspace_id, profile_id, title: 'Other', post_id: newId(NOW + 2) });
    const expected = [other, short, post];

    const { posts, more } = await listPosts(table, workspace_id, 10, null);
    expect({ posts: posts.map(asCreated), more }).toEqual({ posts: expected, more: false });
    const some = await getPosts(
      table,
      workspace_id,
      expected.map(({ post_id }) => post_id),
    );
    expect(some.map(asCreated)).toHaveLength(3);
    expect(some.map(asCreated)).toEqual(expect.arrayContaining(expected));
    const unsettled: Post[] = [];
    for await (const page of unsettledPostsOf(table, workspace_id, profile_id)) unsettled.push(...page);
    expect(unsettled.map(asCreated)).toEqual(expected.toReversed());
  });

  test.each([
    ['another long one', { description: `${LONG}!` }, true],
    ['a short one', { description: 'Hello' }, false],
  ])('is replaced by %s', async (_, change, isApart) => {
    const post = await stored();
    const from = (await read(post))!;
    const to = { ...from, ...change, version: from.version + 1 };
    expect(await replacePost(table, from, to)).toBe('written');
    expect(asCreated((await read(post))!)).toEqual(asCreated(to));
    expect((await contentItem(post)) !== undefined).toBe(isApart);
  });

  test('replaces a short one', async () => {
    const post = await stored({ description: 'Hello' });
    const to = { ...post, description: LONG, version: post.version + 1 };
    expect(await replacePost(table, post, to)).toBe('written');
    expect(asCreated((await read(post))!)).toEqual(to);
  });

  test('is not written by an edit that comes too late', async () => {
    const post = await stored();
    const from = (await read(post))!;
    const edited = { ...from, description: `${LONG}!`, version: from.version + 1 };
    expect(await replacePost(table, from, edited)).toBe('written');
    expect(await replacePost(table, from, { ...edited, description: `${LONG}?` })).toBe('stale');
    expect((await read(post))?.description).toBe(`${LONG}!`);
  });

  test('is deleted with its post', async () => {
    const post = await stored();
    expect(await deletePost(table, (await read(post))!)).toBe(true);
    expect(await contentItem(post)).toBeUndefined();
    expect(await item(keyOf(post))).toBeUndefined();
  });

  test.each([
    ['another long one', { description: `${LONG}!`, title: null }],
    ['a short one', { description: 'Hello', title: null }],
  ])('is never read with the state of an edit to %s', async (_, change) => {
    const post = await stored({ title: 'Before' });
    const from = (await read(post))!;
    const to = { ...from, ...change, version: from.version + 1 };
    const during = tableWithEdit(() => replacePost(table, from, to));
    expect(asCreated((await read(post, during))!)).toEqual(asCreated(to));
  });

  test('of a post that is deleted meanwhile is not read', async () => {
    const post = await stored();
    const from = (await read(post))!;
    const during = tableWithEdit(() => deletePost(table, from));
    expect(await read(post, during)).toBeNull();
  });

  test('of a list that is read while one of its posts is deleted', async () => {
    const post = await stored();
    const from = (await read(post))!;
    const during = tableWithEdit(() => deletePost(table, from));
    expect(await listPosts(during, post.workspace_id, 10, null)).toEqual({ posts: [], more: false });
  });

  test('that is missing is an error, not an empty post', async () => {
    const post = await stored();
    const Key = contentKey(keyOf(post));
    await table.client.send(new DeleteCommand({ TableName: table.name, Key }));
    await expect(read(post)).rejects.toThrow(`The post ${post.post_id} was not read with its content`);
  });
});
