import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { deliveryWorld, publishMessage, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { PLATFORM_IDS } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import { RULES } from '../platforms/registry.ts';
import { SECOND } from '../time/instant.ts';
import { leaseUntil } from './lease.ts';
import { readyAt } from './sweep.ts';
import { stepReserveMs } from './timing.ts';
import { leased, withIntent } from './transitions.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
});
afterAll(() => world.close());
beforeEach(() => world.reset());

/** Lambda ends a function at its timeout. Clocks may differ, and its last write may still be on its way. */
const SAFETY_MS = 15 * SECOND;
const TIMEOUT_MS = RULES.x.worker.timeout_s * SECOND;
const IMAGE: Partial<Post> = { post_type: 'image', media_urls: ['https://example.com/1.jpg'] };

describe.each(PLATFORM_IDS)('on %s', platform => {
  const { worker, settle_ms } = RULES[platform];
  const now = 1_000_000;
  const acquire = async () => {
    const post = await world.store({}, [platform]);
    return { post, held: leased(post.destinations[platform]!, now) };
  };

  test('a lease outlives its function', async () => {
    const { held } = await acquire();
    expect(held.lease_until).toBe(leaseUntil(held, now));
    expect(held.lease_until - now).toBeGreaterThanOrEqual(worker.timeout_s * SECOND + SAFETY_MS);
  });

  test('an intent is reconciled only after the reads of the platform have caught up', async () => {
    const { post, held } = await acquire();
    expect(readyAt(post, held)).toBe(held.lease_until);
    const committing = withIntent(held, { step: 'create', state: {} }, now);
    expect(readyAt(post, committing)).toBe(held.lease_until + settle_ms);
  });

  test('a step that starts can end before the function does', () => {
    expect(stepReserveMs(platform)).toBeLessThan(worker.timeout_s * SECOND);
    expect(stepReserveMs(platform)).toBe(worker.request_s * SECOND);
  });
});

/** Runs a worker up to its n-th external call and suspends it there. Returns null when it makes fewer calls. */
async function suspendAt(post: Post, at: number) {
  const reached = Promise.withResolvers<'suspended'>();
  const resume = Promise.withResolvers<undefined>();
  const pause = {
    at,
    reached: () => {
      reached.resolve('suspended');
    },
    until: resume.promise,
  };
  const { run } = world.newProcess(null, pause);
  const ended = world.consume(run, { ...publishMessage(post), receives: 1 });
  if ((await Promise.race([reached.promise, ended])) !== 'suspended') return null;
  return async () => {
    resume.resolve(undefined);
    await ended;
  };
}

describe('another worker', () => {
  test('waits until the lease has expired, also when the function has reached its timeout', async () => {
    const post = await world.store();
    const begun = world.clock.now;
    await world.handle(publishMessage(post), { at: 3, when: 'after' });
    world.queue.length = 0;
    for (const age of [0, TIMEOUT_MS, TIMEOUT_MS + SAFETY_MS - SECOND - 1]) {
      world.clock.now = begun + age;
      await world.handle(publishMessage(post));
      expect((await world.read(post)).destinations.x).toMatchObject({ status: 'publishing', attempts: 1 });
    }
    expect(world.platform.live).toEqual([]);
    await world.runUntilSettled(post);
    expect((await world.read(post)).destinations.x).toMatchObject({ status: 'published', attempts: 2 });
    expect(world.platform.live).toHaveLength(1);
  });

  test('continues when the lease has expired', async () => {
    const post = await world.store();
    await world.handle(publishMessage(post), { at: 3, when: 'after' });
    const held = (await world.read(post)).destinations.x!;
    world.clock.now = readyAt(post, held);
    await world.handle(publishMessage(post));
    expect((await world.read(post)).destinations.x).toMatchObject({ status: 'published', attempts: 2 });
  });
});

describe('a worker that is suspended longer than its lease', () => {
  const begin = () => {
    world.reset();
    world.platform.parts = 2;
    world.platform.followUps = [
      { name: 'playlist', reconcile: 'by key' },
      { name: 'thumbnail', idempotent: true },
    ];
    return world.store(IMAGE);
  };

  test('never sends or stores anything after another worker took over, wherever it was suspended', async () => {
    let at = 1;
    for (; ; at += 1) {
      const post = await begin();
      const resume = await suspendAt(post, at);
      if (!resume) break;
      world.clock.now += TIMEOUT_MS + SAFETY_MS + RULES.x.settle_ms + SECOND;
      world.queue.push(publishMessage(post));
      await world.runUntilSettled(post);
      const settled = await world.read(post);
      const { live, effects, uploads } = world.platform;
      const before = { live: [...live], effects: [...effects], uploads };
      await resume();
      await world.runUntilSettled(post);

      const where = `after call ${at}`;
      expect([where, await world.read(post)]).toEqual([where, settled]);
      expect([where, { live, effects, uploads: world.platform.uploads }]).toEqual([where, before]);
      expect([where, live.length, effects.length]).toEqual([where, 1, 2]);
      expect([where, new Set(world.events.map(({ id }) => id)).size]).toEqual([where, 1]);
    }
    expect(at).toBeGreaterThan(20);
  });
});
