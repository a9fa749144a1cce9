import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { crashPoints } from '../../test/support/crashing-services.ts';
import { deliveryWorld, publishMessage, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { isListening } from '../events/listening.ts';
import { statusOf, type Post } from '../model/post.ts';
import { listDueReadings } from '../store/insights.ts';
import { shardOf } from '../store/table.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  for (const platform of ['x', 'telegram'] as const) await world.connect(platform);
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const readings = async (account: string, post: Post) =>
  (await listDueReadings(world.table, shardOf(account), Number.MAX_SAFE_INTEGER, 500)).filter(
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
      const { wake_at, destinations } = await world.read(post);
      expect({ ...crash, live: world.platform.live.length, wake_at }).toEqual({ ...crash, live: 1 });
      const account = destinations.x!.social_account_id;
      expect({ ...crash, readings: (await readings(account, post)).length }).toEqual({
        ...crash,
        readings: 1,
      });
    }
  });
});
