import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { failed, leased, withIntent, waiting } from '../../shared/delivery/transitions.ts';
import { failure, type FailureCode } from '../../shared/model/failure.ts';
import type { Post } from '../../shared/model/post.ts';
import { listCapReservations, putCapReservation } from '../../shared/store/cap-reservations.ts';
import { getPost as readPost } from '../../shared/store/posts.ts';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { addProfile, call } from '../../test/support/posts.ts';
import { fire, liveTexts, races } from '../../test/support/races.ts';
import { withRepeatedWrites } from '../../test/support/repeated-writes.ts';
import { createPost } from './create.ts';
import { deletePost } from './delete.ts';
import { getPost } from './get.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  for (const platform of ['x', 'bluesky'] as const) await world.connect(platform);
  await addProfile(world);
});
afterAll(() => world.close());

const create = (body: Record<string, unknown>) =>
  call(world, createPost, { body: { profile_name: 'Acme', post_type: 'text', ...body } });
const read = ({ post_id: id }: Post) => call(world, getPost, { params: { id } });
const remove = ({ post_id: id }: Post) => call(world, deletePost, { params: { id } });

describe('DELETE /posts/{id}', () => {
  test('cancels a scheduled post, which is then never published', async () => {
    const post = await world.store({ due_at: world.clock.now + 60_000, scheduling: 'scheduled' });
    expect(await remove(post)).toMatchObject({ status: 204 });
    expect(await read(post)).toMatchObject({ status: 404 });
    world.clock.now += 120_000;
    await world.runDue();
    expect(world.platform.live.filter(({ key }) => key.startsWith(post.post_id))).toEqual([]);
  });

  test('releases everything when the response of the write is lost and the SDK repeats it', async () => {
    const scheduled_date = new Date(world.clock.now + 3_600_000).toISOString();
    const made = await create({ description: 'Deleted twice', platforms: ['x'], scheduled_date });
    const id = String(made.body['post_id']);
    const services = { ...world.services, table: withRepeatedWrites(world.table) };
    expect(await call(world, deletePost, { params: { id } }, services)).toMatchObject({ status: 204 });
    const reservations = await listCapReservations(world.table, 'c-x', 0, world.clock.now + 86_400_000);
    expect(reservations.filter(({ post_id }) => post_id === id)).toEqual([]);
  });

  test('refuses a published post and returns its status', async () => {
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect(await remove(post)).toMatchObject({
      status: 409,
      body: { code: 'POST_NOT_DELETABLE', status: 'published' },
    });
  });

  test('deletes a failed post', async () => {
    world.platform.commitFaults = [{ kind: 'rejected', code: 'CONTENT_REJECTED', message: 'no' }];
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect(await remove(post)).toMatchObject({ status: 204 });
  });

  test('deletes a failed post that may be live, and keeps its cap reservation', async () => {
    const post = await world.store({}, ['x', 'bluesky']);
    const { x, bluesky } = post.destinations;
    const lost = failed(x!, failure('DELIVERY_UNKNOWN', 'The response was lost'), post.due_at);
    const refused = failed(bluesky!, failure('CONTENT_REJECTED', 'no'), post.due_at);
    const stored = await world.store({ destinations: { x: lost, bluesky: refused } });
    const at = stored.due_at;
    for (const { social_account_id: account_id } of [lost, refused])
      await putCapReservation(world.table, { account_id, post_id: stored.post_id, at, taken_at: at });
    expect(await remove(stored)).toMatchObject({ status: 204 });
    const reserved = async (account: string) =>
      (await listCapReservations(world.table, account, 0, at)).length;
    expect(await reserved(lost.social_account_id)).toBe(1);
    expect(await reserved(refused.social_account_id)).toBe(0);
  });

  const fault = (code: FailureCode) => ({ kind: 'transient', code, message: 'try later' }) as const;

  test('deletes a post that waits for a retry and releases its cap reservation', async () => {
    world.platform.commitFaults = [fault('PLATFORM_UNAVAILABLE')];
    const made = await create({ description: 'A text that must wait', platforms: ['x', 'bluesky'] });
    const post = (await readPost(world.table, 'w1', String(made.body['post_id'])))!;
    const message = { workspace_id: 'w1', post_id: post.post_id, version: 1, platform: 'x' };
    await world.handle({ queue: 'publish', body: JSON.stringify(message), at: 0, receives: 0 });
    const { body } = await read(post);
    expect(body).toMatchObject({
      status: 'publishing',
      destinations: [{ status: 'retrying' }, { status: 'pending' }],
    });
    expect(await remove(post)).toMatchObject({ status: 204 });
    expect((await read(post)).status).toBe(404);
    const reservations = await listCapReservations(world.table, 'c-x', 0, world.clock.now + 86_400_000);
    expect(reservations.filter(({ post_id }) => post_id === post.post_id)).toEqual([]);
    world.clock.now += 3_600_000;
    await world.runDue();
    expect(world.platform.live.filter(({ key }) => key.startsWith(post.post_id))).toEqual([]);
  });

  test('refuses while a publishing request is unanswered and while a platform is processing the post', async () => {
    const post = await world.store();
    const held = leased(post.destinations.x!, post.due_at);
    const sent = withIntent(held, { step: 'create', state: {} }, post.due_at);
    for (const state of [held, sent, waiting(sent, {}, post.due_at + 1, post.due_at)]) {
      const stored = await world.store({ destinations: { x: state } });
      expect(await remove(stored)).toMatchObject({ status: 409, body: { code: 'POST_NOT_DELETABLE' } });
    }
  });

  test('refuses when one destination is live and another waits for a retry', async () => {
    const post = await world.store({}, ['x', 'bluesky']);
    world.platform.commitFaults = [fault('PLATFORM_UNAVAILABLE')];
    await world.schedule(post);
    await world.runDue();
    const { body } = await read(post);
    expect((body['destinations'] as { status: string }[]).map(({ status }) => status).sort()).toEqual([
      'published',
      'retrying',
    ]);
    expect(await remove(post)).toMatchObject({ status: 409 });
  });

  test('has one winner when it races with a retry, 50 times', async () => {
    await races(50, async ({ request, firing }) => {
      world.platform.commitFaults = [fault('PLATFORM_UNAVAILABLE')];
      const post = await world.store();
      await fire(world, post);
      world.clock.now += 60_000;
      const [{ status }] = await Promise.all([
        request().then(() => remove(post)),
        firing().then(() => fire(world, post)),
      ]);
      expect([status, liveTexts(world, post)]).toEqual(status === 204 ? [204, []] : [409, ['Hello']]);
      return status === 204;
    });
  });

  test('has one winner when it races with publishing, 200 times: deleted everywhere or nowhere', async () => {
    await races(200, async ({ request, firing }) => {
      const post = await world.store({}, ['x', 'bluesky']);
      const [{ status }] = await Promise.all([
        request().then(() => remove(post)),
        firing().then(() => fire(world, post)),
      ]);
      expect([status, liveTexts(world, post)]).toEqual(
        status === 204 ? [204, []] : [409, ['Hello', 'Hello']],
      );
      return status === 204;
    });
  });
});
