import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { withRepeatedWrites } from '../../test/support/repeated-writes.ts';
import { leased } from './transitions.ts';
import { saveDestination } from '../store/posts.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
});
afterAll(() => world.close());

test('saveDestination recognises its own write when the SDK repeats it', async () => {
  const post = await world.store();
  const from = post.destinations.x!;
  const after = await saveDestination(
    withRepeatedWrites(world.table),
    post,
    from,
    leased(from, world.clock.now),
  );
  expect(after?.destinations.x).toMatchObject({ status: 'publishing', revision: 2, attempts: 1 });
});

test('saveDestination succeeds for one of several writers at the same revision', async () => {
  const post = await world.store();
  const from = post.destinations.x!;
  const to = leased(from, world.clock.now);
  const writes = await Promise.all([1, 2, 3].map(() => saveDestination(world.table, post, from, to)));
  expect(writes.filter(Boolean)).toHaveLength(1);
});
