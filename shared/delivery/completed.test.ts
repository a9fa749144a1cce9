import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { crashPoints } from '../../test/support/crashing-services.ts';
import { deliveryWorld, publishMessage, type DeliveryWorld } from '../../test/support/delivery-world.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  for (const platform of ['x', 'bluesky', 'telegram'] as const) await world.connect(platform);
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const ids = () => new Set(world.completed.map(({ id }) => id));

describe('post.completed', () => {
  test('is sent once every destination is final, and not before', async () => {
    const post = await world.store({}, ['x', 'bluesky']);
    await world.handle(publishMessage(post, 'x'));
    expect(world.completed).toEqual([]);
    await world.handle(publishMessage(post, 'bluesky'));
    expect(world.completed).toMatchObject([
      { data: { post_id: post.post_id, status: 'published', counts: { total: 2, published: 2, failed: 0 } } },
    ]);
  });

  test('is sent with one id when all destinations become final at the same time', async () => {
    const post = await world.store({}, ['x', 'bluesky', 'telegram']);
    await Promise.all(
      (['x', 'bluesky', 'telegram'] as const).map(platform => world.handle(publishMessage(post, platform))),
    );
    expect(ids().size).toBe(1);
  });

  test('is sent with one id and the same bytes after a crash at any call', async () => {
    const calls = await world.runWithCrash(await world.store({}, ['x', 'bluesky']), null);
    for (const { at, when } of crashPoints(calls)) {
      world.reset();
      await world.runWithCrash(await world.store({}, ['x', 'bluesky']), { at, when });
      const distinct = new Set(world.completed.map(event => JSON.stringify(event)));
      expect({ at, when, distinct: distinct.size }).toEqual({ at, when, distinct: 1 });
    }
  });
});
