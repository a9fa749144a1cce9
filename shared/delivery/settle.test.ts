import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { crashPoints } from '../../test/support/crashing-services.ts';
import { deliveryWorld, publishMessage, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { isListening } from '../events/listening.ts';
import { statusOf, type Post } from '../model/post.ts';
import { deleteDue, listDue } from '../store/insights.ts';
import { shardOf } from '../store/table.ts';
import { HOUR } from '../time/instant.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  for (const platform of ['x', 'bluesky', 'telegram'] as const) await world.connect(platform);
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const readings = async (post: Post) =>
  (await listDue(world.table, shardOf(post.profile_id), Number.MAX_SAFE_INTEGER, 500)).filter(
    ({ post_id }) => post_id === post.post_id,
  );

test('a webhook whose state cannot be read is taken to listen', async () => {
  const client = { send: () => Promise.reject(new Error('throttled')) };
  const table = { ...world.table, client } as unknown as typeof world.table;
  expect(await isListening({ table }, 'w1')).toBe(true);
});

test('the outcome of two workers that end at the same time leaves the post out of the wake index', async () => {
  const post = await world.store({}, ['x', 'telegram']);
  await Promise.all(
    (['x', 'telegram'] as const).map(platform => world.handle(publishMessage(post, platform))),
  );
  const after = await world.read(post);
  expect([statusOf(after), after.wake_at]).toEqual(['published', undefined]);
});

describe('the first metrics readings', () => {
  test('of all platforms are stored once, with the destination that is settled first', async () => {
    const post = await world.store({}, ['x', 'bluesky', 'telegram']);
    await world.handle(publishMessage(post, 'bluesky'));
    const first = await readings(post);
    expect(first).toMatchObject([{ platforms: ['x', 'bluesky'], due_at: post.due_at + HOUR }]);
    for (const each of first) await deleteDue(world.table, each);
    world.clock.now += 1;
    for (const platform of ['x', 'telegram'] as const) await world.handle(publishMessage(post, platform));
    expect(await readings(post)).toEqual([]);
  });

  test('of a destination that goes live an hour later, as by a retry of the user, are stored with it', async () => {
    const post = await world.store({}, ['x', 'bluesky']);
    await world.handle(publishMessage(post));
    for (const each of await readings(post)) await deleteDue(world.table, each);
    world.clock.now += HOUR;
    await world.handle(publishMessage(post, 'bluesky'));
    expect(await readings(post)).toMatchObject([
      { platform: 'bluesky', index: 0, due_at: world.clock.now + HOUR },
    ]);
  });

  test('are stored once by two workers that end at the same time', async () => {
    const post = await world.store({}, ['x', 'bluesky']);
    await Promise.all((['x', 'bluesky'] as const).map(each => world.handle(publishMessage(post, each))));
    expect(await readings(post)).toHaveLength(1);
  });

  test('are stored whichever destination is settled after its worker died at any call', async () => {
    const calls = await world.handleCounted(publishMessage(await world.store({}, ['x', 'bluesky'])));
    for (const crash of crashPoints(calls)) {
      const post = await world.store({}, ['x', 'bluesky']);
      await world.handle(publishMessage(post), crash);
      await world.handle(publishMessage(post, 'bluesky'));
      await world.runUntilSettled(post);
      expect({ ...crash, readings: (await readings(post)).length }).toEqual({ ...crash, readings: 1 });
    }
  });
});

describe('without a webhook', () => {
  beforeAll(() => world.removeWebhook());

  test('an outcome takes no message and no write for events', async () => {
    const post = await world.store({}, ['x', 'telegram']);
    for (const platform of ['x', 'telegram'] as const) await world.handle(publishMessage(post, platform));
    const { destinations, wake_at } = await world.read(post);
    expect(wake_at).toBeUndefined();
    expect([world.events, world.completed]).toEqual([[], []]);
    // Lease, commit intent, outcome.
    expect([destinations.x?.revision, destinations.telegram?.revision]).toEqual([4, 4]);
  });

  test('a failure takes none either', async () => {
    world.platform.commitFaults = [{ kind: 'rejected', code: 'CONTENT_REJECTED', message: 'no' }];
    const post = await world.store();
    await world.handle(publishMessage(post));
    expect(statusOf(await world.read(post))).toBe('failed');
    expect(world.events).toEqual([]);
  });

  test('a post is published once, settled and measured, at whatever call its worker dies', async () => {
    const calls = await world.runWithCrash(await world.store(), null);
    for (const crash of crashPoints(calls)) {
      world.reset();
      const post = await world.store();
      await world.runWithCrash(post, crash);
      const { wake_at } = await world.read(post);
      expect({ ...crash, live: world.platform.live.length, wake_at }).toEqual({ ...crash, live: 1 });
      expect({ ...crash, readings: (await readings(post)).length }).toEqual({
        ...crash,
        readings: 1,
      });
    }
  });
});
