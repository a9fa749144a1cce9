import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { MINUTE } from '../../shared/time/instant.ts';
import { wakeItems } from './wake-items.ts';

let world: DeliveryWorld;
beforeEach(async () => {
  world = await deliveryWorld();
});
afterEach(() => world.close());

test('counts a post that was woken long ago: the dispatcher does not keep up, or does not run', async () => {
  const { wake_at = 0 } = await world.store({ due_at: world.clock.now });
  world.clock.now = wake_at;
  expect(await wakeItems(world.services)).toBe(0);
  world.clock.now = wake_at + 6 * MINUTE;
  expect(await wakeItems(world.services)).toBe(1);
  await world.runDue();
  expect(await wakeItems(world.services)).toBe(0);
});
