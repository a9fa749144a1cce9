import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { crashPoints } from '../../test/support/crashing-services.ts';
import { deliveryWorld, publishMessage, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import type { FakePlatform } from '../../test/support/fake-platform.ts';
import { statusOf, type Post } from '../model/post.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const IMAGE: Partial<Post> = { post_type: 'image', media_urls: ['https://example.com/1.jpg'] };
const REJECTED = { kind: 'rejected', code: 'CONTENT_REJECTED', message: 'no' } as const;

async function deliver(change: Partial<FakePlatform>): Promise<Post> {
  Object.assign(world.platform, change);
  const post = await world.store(IMAGE);
  await world.schedule(post);
  await world.runUntilSettled(post);
  return post;
}

describe('what an attempt left at the platform', () => {
  test('is discarded when the destination fails', async () => {
    const post = await deliver({ commitFaults: [REJECTED] });
    expect(statusOf(await world.read(post))).toBe('failed');
    expect([world.platform.discards, world.platform.staged.size]).toEqual([1, 0]);
    expect(await world.read(post)).not.toHaveProperty('wake_at');
  });

  test('is discarded once from a large state too', async () => {
    await deliver({ commitFaults: [REJECTED], stateBytes: 100_000 });
    expect([world.platform.discards, world.platform.staged.size]).toEqual([1, 0]);
  });

  test('is kept while the post is retried, and where it may be live', async () => {
    const lost = {
      kind: 'transient',
      code: 'PLATFORM_UNAVAILABLE',
      message: 'lost',
      outcomeUnknown: true,
    } as const;
    const post = await deliver({ commitFaults: [lost], reconcile: 'cannot tell' });
    expect((await world.read(post)).destinations.x).toMatchObject({ error: { code: 'DELIVERY_UNKNOWN' } });
    expect(world.platform.discards).toBe(0);

    await deliver({ commitFaults: [{ ...lost, outcomeUnknown: false }] });
    expect(world.platform.discards).toBe(0);

    const unknown = { kind: 'rejected', code: 'DELIVERY_UNKNOWN', message: 'may be live' } as const;
    await deliver({ commitFaults: [unknown] });
    expect(world.platform.discards).toBe(0);
  });

  test('stays there when discarding it fails, and the destination fails all the same', async () => {
    const post = await deliver({ commitFaults: [REJECTED], discardFaults: [REJECTED] });
    expect(statusOf(await world.read(post))).toBe('failed');
    expect([world.platform.discards, world.platform.staged.size]).toEqual([1, 1]);
    expect(world.events.map(({ event }) => event)).toEqual(['post.failed']);
  });

  test('is discarded by the sweeper when dead letters failed the post', async () => {
    world.platform.parts = 2;
    const post = await world.store(IMAGE);
    await world.handle(publishMessage(post), { at: 8, when: 'after' });
    expect(world.platform.staged.size).toBe(1);
    for (let letter = 0; letter < 2; letter += 1) {
      world.queue.length = 0;
      world.clock.now += 3_600_000;
      await world.handle(publishMessage(post, 'x', { receives: 5 }));
    }
    expect(statusOf(await world.read(post))).toBe('failed');
    await world.runUntilSettled(post);
    expect([world.platform.discards, world.platform.staged.size]).toEqual([1, 0]);
  });
});

test('a killed worker leaves a failed post with one event and nothing at the platform, whichever call was its last', async () => {
  const begin = () => {
    world.reset();
    Object.assign(world.platform, { stateBytes: 4000, commitFaults: [REJECTED, REJECTED, REJECTED] });
    return world.store(IMAGE);
  };
  const calls = await world.runWithCrash(await begin(), null);
  for (const { at, when } of crashPoints(calls)) {
    const post = await begin();
    await world.runWithCrash(post, { at, when });
    const where = `${when} call ${at}`;
    expect([where, statusOf(await world.read(post)), world.platform.live.length]).toEqual([
      where,
      'failed',
      0,
    ]);
    expect([where, world.platform.staged.size, world.platform.discards >= 1]).toEqual([where, 0, true]);
    expect([where, new Set(world.events.map(({ event }) => event))]).toEqual([
      where,
      new Set(['post.failed']),
    ]);
  }
});
