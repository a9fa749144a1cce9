import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { addProfile, call } from '../../test/support/posts.ts';
import { setAnnouncedLimit } from '../../shared/store/connections.ts';
import { createPost } from './create.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  for (const platform of ['x', 'bluesky'] as const) await world.connect(platform);
  await addProfile(world);
});
afterAll(() => world.close());

const HOUR = 3_600_000;

test('a limit announced by a platform refuses posts due while it lasts, and no others', async () => {
  const resets = world.clock.now + 2 * HOUR;
  const account = (await world.connection('x'))!;
  await setAnnouncedLimit(world.table, account, { limit: 25, resets_at: resets });
  const create = (platforms: string[], at?: number) =>
    call(world, createPost, {
      body: {
        profile_name: 'Acme',
        post_type: 'text',
        platforms,
        description: `To ${platforms.join()} at ${at}`,
        ...(at === undefined ? {} : { scheduled_date: new Date(at).toISOString() }),
      },
    });

  expect(await create(['bluesky', 'x'])).toEqual({
    status: 429,
    body: {
      error: 'X accepts no more posts from this account until its limit resets',
      code: 'PLATFORM_RATE_LIMIT',
      retry_after: 7200,
      platform: 'x',
      limit: 25,
      resets_at: new Date(resets).toISOString(),
    },
  });
  expect((await create(['bluesky'])).status).toBe(201);
  expect((await create(['x'], resets + HOUR)).status).toBe(201);
  world.clock.now = resets + 1;
  expect((await create(['x'])).status).toBe(201);
});
