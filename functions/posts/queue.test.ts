import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { addProfile, call } from '../../test/support/posts.ts';
import { deleteProfileContent } from '../../shared/profiles/delete-content.ts';
import { createProfile } from '../../shared/store/profiles.ts';
import { listCapReservations, putCapReservation } from '../../shared/store/cap-reservations.ts';
import { deleteQueue, getQueue } from '../../shared/store/queue.ts';
import { putConnection } from '../../shared/store/connections.ts';
import { newId } from '../../shared/model/id.ts';
import { DAY, HOUR, toIso } from '../../shared/time/instant.ts';
import { routes as queueRoutes } from '../queue/routes.ts';
import { createPost } from './create.ts';
import { deletePost } from './delete.ts';
import { getPost } from './get.ts';
import { retryPost } from './retry.ts';
import { updatePost } from './update.ts';
import { validatePost } from './validate.ts';

type Json = Record<string, unknown>;

let world: DeliveryWorld;

beforeAll(async () => {
  world = await deliveryWorld();
  for (const platform of ['x', 'bluesky', 'telegram'] as const) await world.connect(platform);
  await addProfile(world);
});
afterAll(() => world.close());
/** Each test begins on a morning of its own, with an empty queue. */
beforeEach(async () => {
  world.clock.now = Math.ceil((world.clock.now + 100 * DAY) / DAY) * DAY + 6 * HOUR;
  world.queue.length = 0;
  await deleteQueue(world.table, 'w1', 'p1');
});

let texts = 0;
const bodyOf = (change: Json): Json => ({
  profile_name: 'Acme',
  post_type: 'text',
  platforms: ['x'],
  description: `Queued text ${(texts += 1)}`,
  ...change,
});
const create = (change: Json = {}, raw: Json = {}) =>
  call(world, createPost, { body: bodyOf({ add_to_queue: true, ...change }), ...raw });
const update = (id: unknown, body: Json) => call(world, updatePost, { params: { id: String(id) }, body });
const remove = (id: unknown) => call(world, deletePost, { params: { id: String(id) } });
const read = async (id: unknown) => (await call(world, getPost, { params: { id: String(id) } })).body;
const ask = async (path: string, input: Json) => {
  const route = queueRoutes.find(each => `${each.method} ${each.path}` === path)!;
  const given = { profile_name: 'Acme', ...input };
  return (await call(world, route, path.startsWith('GET') ? { query: given } : { body: given })).body;
};
const nextSlot = async () => (await ask('GET /queue/next-slot', {}))['next_slot'];
/** A time of the present day of the test, or of a later one. */
const at = (time: string, days = 0) => `${toIso(world.clock.now + days * DAY).slice(0, 10)}T${time}:00.000Z`;

async function queued(change: Json = {}): Promise<{ id: string; slot: unknown }> {
  const { status, body } = await create(change);
  expect(status).toBe(201);
  return { id: String(body['post_id']), slot: body['scheduled_date'] };
}

describe('a post with add_to_queue', () => {
  test('is scheduled into the next free slot', async () => {
    const { status, body } = await create();
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { is_immediate: false, status: 'scheduled', scheduled_date: at('09:00'), warnings: [] },
    });
    expect(await read(body['post_id'])).toMatchObject({
      scheduling: 'queue',
      status: 'scheduled',
      scheduled_date: at('09:00'),
    });
    expect(await nextSlot()).toBe(at('12:00'));
    const preview = (await ask('GET /queue/preview', { limit: '2' }))['slots'] as Json[];
    expect(preview.map(({ slot_at, used, post_ids }) => [slot_at, used, post_ids])).toEqual([
      [at('09:00'), 1, [body['post_id']]],
      [at('12:00'), 0, []],
    ]);
  });

  test('is published at its slot', async () => {
    const { id } = await queued();
    const post = await world.read({ workspace_id: 'w1', post_id: id } as never);
    await world.runUntilSettled(post);
    expect(await read(id)).toMatchObject({ status: 'published', published_at: at('09:00') });
  });

  test('gets a slot however far ahead: fifty posts with three slots a day', async () => {
    const slots: unknown[] = [];
    for (let n = 0; n < 50; n += 1) slots.push((await queued({ platforms: ['telegram'] })).slot);
    expect(new Set(slots).size).toBe(50);
    expect(slots).toEqual([...slots].sort());
    expect(slots.at(-1)).toBe(at('12:00', 16));
    expect(await nextSlot()).toBe(at('17:00', 16));
  });

  test('can be more than a year ahead and still be edited', async () => {
    await ask('POST /queue/settings', { slots: [{ time: '09:00', days: ['mon'] }] });
    const queue = await getQueue(world.table, 'w1', 'p1');
    expect(queue.reservations).toEqual([]);
    const made: { id: string; slot: unknown }[] = [];
    for (let n = 0; n < 54; n += 1) made.push(await queued({ platforms: ['telegram'] }));
    const last = made.at(-1)!;
    expect(Date.parse(String(last.slot))).toBeGreaterThan(world.clock.now + 366 * DAY);
    const edited = await update(last.id, { description: 'New words' });
    expect(edited).toMatchObject({ status: 200, body: { post: { scheduled_date: last.slot } } });
  });

  test('shares a slot with as many others as posts_per_slot allows', async () => {
    await ask('POST /queue/settings', { posts_per_slot: 2 });
    const slots = [(await queued()).slot, (await queued()).slot, (await queued()).slot];
    expect(slots).toEqual([at('09:00'), at('09:00'), at('12:00')]);
  });

  test('skips slots at which an account is over its daily cap', async () => {
    await ask('POST /queue/settings', { posts_per_slot: 100 });
    const account = `c-full-${newId()}`;
    const connection = (await world.connection('bluesky'))!;
    await putConnection(world.table, { ...connection, id: account });
    for (let n = 0; n < 50; n += 1) {
      const reservation = { account_id: account, post_id: newId(), taken_at: 1 };
      await putCapReservation(world.table, { ...reservation, at: Date.parse(at('00:00')) + n });
    }
    const { id, slot } = await queued({ platforms: ['bluesky'] });
    expect(slot).toBe(at('09:00', 1));
    const reservations = await listCapReservations(
      world.table,
      account,
      world.clock.now,
      world.clock.now + 9 * DAY,
    );
    expect(reservations.map(reservation => [reservation.post_id, toIso(reservation.at)])).toEqual([
      [id, slot],
    ]);
    await putConnection(world.table, connection);
  });

  test('skips the time of a limit that a platform announced', async () => {
    const connection = (await world.connection('telegram'))!;
    const announced_limit = { limit: 100, resets_at: Date.parse(at('13:00')) };
    await putConnection(world.table, { ...connection, announced_limit });
    expect((await queued({ platforms: ['telegram'] })).slot).toBe(at('17:00'));
    await putConnection(world.table, connection);
  });

  test('is refused with scheduled_date or schedule_best_time', async () => {
    const answers = await Promise.all([
      create({ scheduled_date: at('10:00') }),
      create({ schedule_best_time: true }),
    ]);
    for (const { status, body } of answers) {
      expect([status, (body['details'] as Json[])[0]!['field']]).toEqual([400, 'scheduled_date']);
    }
    expect(await nextSlot()).toBe(at('09:00'));
  });

  test('requires the starter plan', async () => {
    const principal = { workspace_id: 'w1', user_id: 'u1', key_id: 'k1', role: 'owner', plan: 'free' };
    expect(await create({}, { principal })).toMatchObject({
      status: 403,
      body: { required_tier: 'starter', current_tier: 'free', upgrade_url: expect.any(String) },
    });
  });

  test('reserves no slot when it is refused', async () => {
    expect((await create({ description: null })).status).toBe(400);
    expect((await create({ platforms: ['pinterest'] })).status).toBe(400);
    expect(await nextSlot()).toBe(at('09:00'));
  });

  test('is validated like any other post', async () => {
    const found = await call(world, validatePost, { body: bodyOf({ add_to_queue: true }) });
    expect(found).toMatchObject({ status: 200, body: { valid: true } });
    expect(await nextSlot()).toBe(at('09:00'));
  });

  test('keeps the slot that an earlier run of the same request reserved', async () => {
    const id = newId(world.clock.now);
    const first = await create({}, { newResourceId: () => id });
    const other = await queued();
    const again = await create({}, { newResourceId: () => id });
    expect(again.body).toMatchObject({ post_id: id, scheduled_date: first.body['scheduled_date'] });
    expect(other.slot).toBe(at('12:00'));
    expect(await nextSlot()).toBe(at('17:00'));
    const reservations = await listCapReservations(
      world.table,
      'c-x',
      world.clock.now,
      world.clock.now + 9 * DAY,
    );
    expect(reservations.map(({ post_id }) => post_id)).toEqual([id, other.id]);
  });
});

describe('a hundred queued posts at the same time', () => {
  test('get the next hundred slots, one each', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => create({ platforms: ['telegram'] })));
    const slots = answers.map(({ body }) => body['scheduled_date']).sort();
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(100);
    expect(new Set(slots).size).toBe(100);
    expect(slots.at(-1)).toBe(at('09:00', 33));
  });

  test('never exceed the capacity of a slot', async () => {
    await ask('POST /queue/settings', { posts_per_slot: 3 });
    await Promise.all(Array.from({ length: 20 }, () => create({ platforms: ['telegram'] })));
    const preview = (await ask('GET /queue/preview', { limit: '8' }))['slots'] as Json[];
    expect(preview.map(({ used }) => used)).toEqual([3, 3, 3, 3, 3, 3, 2, 0]);
  });
});

describe('a slot', () => {
  test('is free again when its post is deleted and is taken by the next post', async () => {
    const posts = [await queued(), await queued(), await queued()];
    expect((await remove(posts[0]!.id)).status).toBe(204);
    expect(await nextSlot()).toBe(posts[0]!.slot);
    expect((await queued()).slot).toBe(posts[0]!.slot);
  });

  test.each<[string, () => Json]>([
    ['gets a date', () => ({ scheduled_date: at('10:00', 3) })],
    ['is published now', () => ({ scheduled_date: null })],
  ])('is free again when its post %s', async (_, change) => {
    const { id } = await queued();
    expect((await update(id, change())).status).toBe(200);
    expect(await nextSlot()).toBe(at('09:00'));
    expect(await read(id)).not.toMatchObject({ scheduling: 'queue' });
  });

  test('stays with a post that is edited or sent back as it was returned', async () => {
    const { id, slot } = await queued();
    for (const change of [
      { description: 'Other words' },
      { add_to_queue: true },
      { add_to_queue: false },
      { scheduled_date: slot, add_to_queue: true },
      await read(id),
    ]) {
      const { status, body } = await update(id, change);
      expect({ status, post: body['post'] }).toMatchObject({
        status: 200,
        post: { scheduling: 'queue', scheduled_date: slot },
      });
    }
    expect(await nextSlot()).toBe(at('12:00'));
  });

  test('is reserved by a scheduled post that moves to the queue', async () => {
    const { body } = await create({ add_to_queue: false, scheduled_date: at('08:00', 5) });
    const moved = await update(body['post_id'], { add_to_queue: true });
    expect(moved).toMatchObject({
      status: 200,
      body: { post: { scheduling: 'queue', scheduled_date: at('09:00') } },
    });
    expect((await queued()).slot).toBe(at('12:00'));
    const reservations = await listCapReservations(
      world.table,
      'c-x',
      world.clock.now,
      world.clock.now + 9 * DAY,
    );
    expect(reservations.map(reservation => toIso(reservation.at))).toEqual([at('09:00'), at('12:00')]);
  });

  test('is one of the new profile after the post moves to it', async () => {
    const other = { id: `p-${newId()}`, workspace_id: 'w1', created_by: null, created_at: 1 };
    await createProfile(world.table, { ...other, profile_name: other.id, username: other.id });
    await putConnection(world.table, { ...(await world.connection('x'))!, profile_id: other.id });
    const [mine, moved] = [await queued(), await queued()];
    const { status, body } = await update(moved.id, { profile_name: other.id });
    expect({ status, post: body['post'] }).toMatchObject({
      status: 200,
      post: { scheduling: 'queue', scheduled_date: at('09:00') },
    });
    expect(mine.slot).toBe(at('09:00'));
    expect(await nextSlot()).toBe(at('12:00'));
  });

  test('of a published post is unaffected by new settings; the next post takes the nearest free slot', async () => {
    const first = await queued();
    const second = await queued();
    for (const { id } of [first, second]) {
      await world.runUntilSettled(await world.read({ workspace_id: 'w1', post_id: id } as never));
    }
    const waiting = await queued();
    expect(waiting.slot).toBe(at('17:00'));
    await ask('POST /queue/settings', {
      slots: [{ time: '14:00' }, { time: '20:00' }],
      timezone: 'Etc/GMT+1',
    });
    const posts = await Promise.all([first, second, waiting].map(({ id }) => read(id)));
    expect(posts.map(({ status, scheduled_date }) => [status, scheduled_date])).toEqual([
      ['published', first.slot],
      ['published', second.slot],
      ['scheduled', waiting.slot],
    ]);
    expect((await queued()).slot).toBe(at('15:00'));
  });

  test('is not reserved again when a failed post is retried', async () => {
    world.platform.commitFaults = [{ kind: 'rejected', code: 'CONTENT_REJECTED', message: 'no' }];
    const { id } = await queued();
    await world.runUntilSettled(await world.read({ workspace_id: 'w1', post_id: id } as never));
    expect(await read(id)).toMatchObject({ status: 'failed' });
    expect((await call(world, retryPost, { params: { id }, body: {} })).status).toBe(202);
    await world.runUntilSettled(await world.read({ workspace_id: 'w1', post_id: id } as never));
    expect(await read(id)).toMatchObject({ status: 'published', scheduling: 'queue' });
  });
});

describe('deletes, edits and creates that race for slots', () => {
  test('leave each slot with exactly its own post', async () => {
    const posts = await Promise.all(Array.from({ length: 12 }, () => queued({ platforms: ['telegram'] })));
    await Promise.all(
      posts.map(({ id }, n) =>
        n % 3 === 0
          ? remove(id)
          : n % 3 === 1
            ? update(id, { scheduled_date: at('10:00', 9) })
            : create({ platforms: ['telegram'] }),
      ),
    );
    const { reservations } = await getQueue(world.table, 'w1', 'p1');
    const held = await Promise.all(reservations.map(({ post_id }) => read(post_id)));
    expect(held.map(({ scheduled_date }) => scheduled_date)).toEqual(
      reservations.map(slot => toIso(slot.at)),
    );
    expect(reservations).toHaveLength(8);
  });
});

test('settings and slots are deleted with their profile', async () => {
  await ask('POST /queue/settings', { posts_per_slot: 2 });
  const { id } = await queued();
  const { services } = world;
  expect(await deleteProfileContent(services, { workspace_id: 'w1', profile_id: 'p1' }, () => false)).toBe(
    true,
  );
  expect((await read(id))['status']).toBe('cancelled');
  expect(await getQueue(world.table, 'w1', 'p1')).toMatchObject({
    reservations: [],
    settings: { posts_per_slot: 1 },
  });
});
