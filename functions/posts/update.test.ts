import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { addProfile, call } from '../../test/support/posts.ts';
import { withRepeatedWrites } from '../../test/support/repeated-writes.ts';
import type { Post } from '../../shared/model/post.ts';
import { listCapReservations } from '../../shared/store/cap-reservations.ts';
import { getConnection, putConnection } from '../../shared/store/connections.ts';
import { createProfile, getProfile, renameProfile } from '../../shared/store/profiles.ts';
import { createPost } from './create.ts';
import { deletePost } from './delete.ts';
import { updatePost } from './update.ts';

let world: DeliveryWorld;
const HOUR = 3_600_000;

beforeAll(async () => {
  world = await deliveryWorld();
  for (const platform of ['x', 'bluesky'] as const) await world.connect(platform);
  await addProfile(world);
});
afterAll(() => world.close());

let made = 0;
async function create(change: Record<string, unknown> = {}): Promise<string> {
  const body = {
    profile_name: 'Acme',
    post_type: 'text',
    platforms: ['x'],
    description: `Text ${++made}`,
    scheduled_date: iso(world.clock.now + HOUR),
    ...change,
  };
  const { status, body: created } = await call(world, createPost, { body });
  expect(status).toBe(201);
  return created['post_id'] as string;
}
const update = (id: string, body: unknown) => call(world, updatePost, { params: { id }, body });
const remove = (id: string) => call(world, deletePost, { params: { id } });
const stored = (post_id: string) => world.read({ workspace_id: 'w1', post_id } as Post);
const iso = (at: number) => new Date(at).toISOString();

const reservationsOf = async (id: string, account = 'c-x') =>
  (await listCapReservations(world.table, account, 0, world.clock.now + 400 * 24 * HOUR))
    .filter(({ post_id }) => post_id === id)
    .map(({ at }) => at);

describe('the cap reservations of a post', () => {
  test('follow its date and platforms', async () => {
    const id = await create();
    const [before] = await reservationsOf(id);
    expect(before).toBe(world.clock.now + HOUR);
    await update(id, { scheduled_date: iso(world.clock.now + 5 * HOUR), platforms: ['x', 'bluesky'] });
    expect(await reservationsOf(id)).toEqual([world.clock.now + 5 * HOUR]);
    expect(await reservationsOf(id, 'c-bluesky')).toEqual([world.clock.now + 5 * HOUR]);
    await update(id, { platforms: ['bluesky'] });
    expect(await reservationsOf(id)).toEqual([]);
    expect(await reservationsOf(id, 'c-bluesky')).toHaveLength(1);
  });

  test('stay when only the text changes and are released with the post', async () => {
    const id = await create();
    expect((await update(id, { description: 'Other words' })).status).toBe(200);
    expect(await reservationsOf(id)).toHaveLength(1);
    expect((await remove(id)).status).toBe(204);
    expect(await reservationsOf(id)).toEqual([]);
  });

  test('stay when an edit comes too late', async () => {
    const id = await create({ scheduled_date: null });
    const [, edited] = await Promise.all([world.runDue(), update(id, { description: 'Too late?' })]);
    if (edited.status === 200) return;
    expect(edited.status).toBe(409);
    expect(await reservationsOf(id)).toHaveLength(1);
  });
});

describe('edits', () => {
  test('are atomic when they race', async () => {
    const id = await create();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => update(id, { description: `Edit ${n}`, title: `Edit ${n}` })),
    );
    const done = answers.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    for (const { status, body } of answers) if (status !== 200) expect(body['code']).toBe('POST_CHANGED');
    const post = await stored(id);
    expect(post.version).toBe(1 + done.length);
    expect(post.title).toBe(post.description);
  });

  test('succeed when the response of the write is lost and the SDK repeats it', async () => {
    const id = await create();
    const services = { ...world.services, table: withRepeatedWrites(world.table) };
    const body = { description: 'Stored once', scheduled_date: iso(world.clock.now + 3 * HOUR) };
    expect(await call(world, updatePost, { params: { id }, body }, services)).toMatchObject({
      status: 200,
      body: { post: { description: 'Stored once' } },
    });
    expect(await stored(id)).toMatchObject({ version: 2, description: 'Stored once' });
    expect(await reservationsOf(id)).toEqual([world.clock.now + 3 * HOUR]);
  });

  test('warn about nearly the same text within 48 hours, but not about the post itself', async () => {
    const text = 'The harvest festival opens on Friday at noon with music, cider and a long table for all';
    const other = await create({ description: text });
    const id = await create({ description: 'Something else' });
    const { body } = await update(id, { description: `${text}!` });
    expect(body['warnings']).toMatchObject([{ code: 'DUPLICATE_CONTENT', similar_post_id: other }]);
    const moved = await update(other, { scheduled_date: iso(world.clock.now + 120 * HOUR) });
    expect(moved.body['warnings']).toEqual([]);
    const again = await update(other, { scheduled_date: iso(world.clock.now + 121 * HOUR) });
    expect(again.body['warnings']).toEqual([]);
  });

  test('store new fingerprints: a later post with the new text gets a warning', async () => {
    const text = 'The bridge over the mill race is closed for repairs from Monday to Thursday next week';
    const id = await create({ description: 'A placeholder' });
    await update(id, { description: text });
    const later = await call(world, createPost, {
      body: { profile_name: 'Acme', post_type: 'text', platforms: ['x'], description: text },
    });
    expect(later.body['warnings']).toMatchObject([{ code: 'DUPLICATE_CONTENT', similar_post_id: id }]);
  });

  test('that move a post to another profile compare it with the posts there', async () => {
    const profile_name = 'Branch office';
    await createProfile(world.table, {
      ...(await getProfile(world.table, 'w1', 'p1'))!,
      ...{ id: 'p2', profile_name, username: 'branch' },
    });
    const connection = (await getConnection(world.table, 'w1', 'p1', 'x'))!;
    await putConnection(world.table, { ...connection, id: 'c-x-2', profile_id: 'p2' });
    const text = 'The ferry stops running at nine in the evening while the northern pier is being rebuilt';
    const there = await create({ description: text, profile_name });
    const id = await create({ description: text });
    const { body } = await update(id, { profile_name });
    expect(body['warnings']).toMatchObject([{ code: 'DUPLICATE_CONTENT', similar_post_id: there }]);
  });

  test('warn about ignored fields', async () => {
    const id = await create();
    const { body } = await update(id, { title: 'A title', youtube_tags: ['a'] });
    expect(body['warnings']).toMatchObject([
      { code: 'IGNORED_FIELD', field: 'youtube_tags' },
      { code: 'IGNORED_FIELD', field: 'title' },
    ]);
  });

  test('report every error in one response: fields, type, hashtags, accounts', async () => {
    const id = await create();
    const { status, body } = await update(id, {
      post_type: 'image',
      title: 7,
      description: 'Look #bikinibody',
      platforms: ['x', 'threads'],
      scheduled_date: 'tomorrow',
    });
    expect(status).toBe(400);
    expect((body['details'] as { field: string }[]).map(({ field }) => field)).toEqual([
      'post_type',
      'title',
      'scheduled_date',
      'platforms',
      'description',
    ]);
    expect(body['violations']).toMatchObject([{ platform: 'threads', hashtag: '#bikinibody' }]);
  });

  test('keep the date of a post that is due now and are published', async () => {
    const id = await create({ platforms: ['x', 'bluesky'] });
    const { due_at } = await stored(id);
    world.clock.now = due_at + 5_000;
    expect(await update(id, { description: 'In time' })).toMatchObject({
      status: 200,
      body: { post: { scheduling: 'scheduled', scheduled_date: iso(due_at), description: 'In time' } },
    });
    await world.runUntilSettled(await stored(id));
    const live = world.platform.live.filter(({ key }) => key.startsWith(id));
    expect(live.map(({ text }) => text)).toEqual(['In time', 'In time']);
  });

  test('are validated by their own date, not by one that has passed', async () => {
    const id = await create();
    const { due_at } = await stored(id);
    world.clock.now = due_at + 60_000;
    const later = iso(world.clock.now + HOUR);
    expect(await update(id, { scheduled_date: later })).toMatchObject({
      status: 200,
      body: { post: { scheduled_date: later, status: 'scheduled' } },
    });
    expect(await update(id, { scheduled_date: iso(world.clock.now - 1) })).toMatchObject({ status: 400 });
  });

  test('keep the date with an empty scheduled_date, and refuse a misspelled one', async () => {
    const id = await create();
    const { due_at } = await stored(id);
    expect((await update(id, { scheduled_date: '', description: 'New' })).status).toBe(200);
    expect((await stored(id)).due_at).toBe(due_at);
    const { status, body } = await update(id, { publish_at: iso(world.clock.now + 9 * HOUR) });
    expect([status, body['details']]).toMatchObject([400, [{ field: 'publish_at' }]]);
  });

  test('of a deleted post answer 404', async () => {
    const id = await create();
    await remove(id);
    expect((await update(id, { description: 'x' })).status).toBe(404);
    expect((await remove(id)).status).toBe(404);
  });

  test('clear a field with null, keep omitted fields, replace platform fields', async () => {
    const id = await create({ title: 'A title', x_reply_settings: 'following', auto_truncate: true });
    await update(id, { title: null, description: 'New' });
    expect(await stored(id)).toMatchObject({
      title: null,
      description: 'New',
      auto_truncate: true,
      options: { x_reply_settings: 'following' },
    });
    await update(id, { x_reply_settings: null });
    expect((await stored(id)).options).toEqual({});
  });

  test('find the profile by its current name', async () => {
    const id = await create();
    const profile = (await getProfile(world.table, 'w1', 'p1'))!;
    await renameProfile(world.table, profile, { username: 'acme', profile_name: 'Acme renamed' });
    const { status, body } = await update(id, { description: 'After the renaming' });
    expect({ status, name: (body['post'] as Record<string, unknown>)['profile_name'] }).toEqual({
      status: 200,
      name: 'Acme renamed',
    });
  });
});
