import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { deliveryWorld, publishMessage, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { PLATFORM_IDS } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import { RULES } from '../platforms/registry/rules.ts';
import { HOUR, SECOND } from '../time/instant.ts';
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

/** The call that stores the lease of a post with a file, before its upload begins. */
const LEASED = { at: 6, when: 'after' } as const;

describe('another worker', () => {
  test('waits until the lease has expired, also when the function has reached its timeout', async () => {
    const post = await world.store(IMAGE);
    const begun = world.clock.now;
    await world.handle(publishMessage(post), LEASED);
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
    const post = await world.store(IMAGE);
    await world.handle(publishMessage(post), LEASED);
    const held = (await world.read(post)).destinations.x!;
    world.clock.now = readyAt(post, held);
    await world.handle(publishMessage(post));
    expect((await world.read(post)).destinations.x).toMatchObject({ status: 'published', attempts: 2 });
  });
});

describe('the first lease of a destination', () => {
  const stored = async (post: Post) => (await world.read(post)).destinations.x;

  test('is stored with the intent of a post that is sent at once', async () => {
    const post = await world.store();
    const { revision } = (await stored(post))!;
    await world.handle(publishMessage(post), { at: 6, when: 'after' });
    expect(await stored(post)).toMatchObject({
      status: 'publishing',
      attempts: 1,
      intent: { step: 'create' },
      revision: revision + 2,
    });
  });

  test.each([
    ['a text', {}],
    ['a file', IMAGE],
  ])('%s: of two workers, only one gets it', async (_, content) => {
    let overtaken = 0;
    for (let at = 1; ; at += 1) {
      world.reset();
      const post = await world.store(content);
      const resume = await suspendAt(post, at);
      if (!resume) throw new Error('The worker ended without a lease');
      const isStored = (await stored(post))?.status !== 'pending';
      if (!isStored) await world.handle(publishMessage(post));
      await resume();
      if (isStored) break;
      overtaken += 1;
      await world.runUntilSettled(post);
      expect([at, await stored(post)]).toEqual([
        at,
        expect.objectContaining({ status: 'published', attempts: 1 }),
      ]);
      expect([at, world.platform.live.length]).toEqual([at, 1]);
      expect([at, new Set(world.events.map(({ id }) => id)).size]).toEqual([at, 1]);
    }
    expect(overtaken).toBeGreaterThan(3);
  });

  test('is not needed to give up a post on which every worker dies', async () => {
    const post = await world.store();
    for (let life = 1; life <= 2; life += 1) {
      world.queue.length = 0;
      for (let receive = 1; receive <= 5; receive += 1) {
        await world.handle(publishMessage(post), { at: 3, when: 'after' });
        world.clock.now += HOUR;
      }
      await world.handle(publishMessage(post, 'x', { receives: 5 }));
      world.clock.now += HOUR;
    }
    expect(await stored(post)).toMatchObject({ status: 'failed', error: { code: 'INTERNAL' } });
    expect(world.platform.live).toEqual([]);
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
