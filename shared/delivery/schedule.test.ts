import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
});
afterAll(() => world.close());

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

// Schedules are refused, as when the account has reached its quota.
test.each([0, 1, 30, 59])(
  'a post without a schedule is published on time by sweeps at second %i of each minute',
  async second => {
    const due_at = world.clock.now + 3 * HOUR;
    const post = await world.store({
      scheduling: 'scheduled',
      due_at,
      post_type: 'image',
      media_urls: ['https://example.com/a.jpg', 'https://example.com/b.jpg'],
    });
    const uploads = world.platform.uploads;
    await world.schedule(post);
    expect(world.queue).toEqual([]);

    const firstSweep = world.clock.now + second * SECOND;
    for (let now = firstSweep; now < due_at; now += MINUTE) await sweepAt(now);
    expect(world.platform.uploads - uploads).toBe(2);

    world.clock.now = due_at;
    await world.runUntilSettled(post);
    const { destinations } = await world.read(post);
    expect(destinations['x']).toMatchObject({ status: 'published', published_at: due_at });

    async function sweepAt(now: number): Promise<void> {
      world.clock.now = now;
      const { workspace_id, post_id, wake_at } = await world.read(post);
      if (wake_at !== undefined && wake_at <= now) {
        const body = JSON.stringify({ workspace_id, post_id });
        world.queue.push({ queue: 'dispatch', body, at: now, receives: 0 });
      }
      await world.runDue();
    }
  },
);
