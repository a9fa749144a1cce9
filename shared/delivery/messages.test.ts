import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { HOUR, SECOND } from '../time/instant.ts';
import { sendPublishMessage } from './messages.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
});
afterAll(() => world.close());
beforeEach(() => world.reset());

test.each([
  ['down for the time of the post, which the worker then waits for', 2400, 2400, 2],
  ['up for any other wait, so that it has passed', -HOUR, 2400, 3],
  ['to nothing for the past', -HOUR, -400, 0],
  ['to the maximum of the queue', 2 * HOUR, 2 * HOUR, 900],
])('a delay is rounded %s', async (_, due, at, seconds) => {
  const { now } = world.clock;
  const post = await world.store({ due_at: now + due });
  await sendPublishMessage(world.services, post, post.destinations.x!, now + at);
  expect(world.queue.map(message => message.at)).toEqual([now + seconds * SECOND]);
});
