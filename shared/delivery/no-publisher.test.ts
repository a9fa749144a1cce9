import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { statusOf } from '../model/post.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
  await world.connect('gbp');
});
afterAll(() => world.close());

test('a platform without a publisher fails only its own destination, without a retry', async () => {
  const post = await world.store({}, ['x', 'gbp']);
  await world.schedule(post);
  await world.runUntilSettled(post);

  const after = await world.read(post);
  expect(statusOf(after)).toBe('partially_published');
  expect(after.destinations.gbp).toMatchObject({
    status: 'failed',
    error: {
      code: 'PLATFORM_UNAVAILABLE',
      category: 'platform',
      message: 'This version of the service cannot publish to Google Business yet',
      retryable: false,
    },
  });
  expect(world.events.map(({ event, data }) => `${data.platform} ${event}`).sort()).toEqual([
    'gbp post.failed',
    'x post.published',
  ]);
  expect(after.wake_at).toBeUndefined();
});
