import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { deliveryWorld, publishMessage, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { statusOf } from '../model/post.ts';
import type { PlatformErrorInit } from '../platforms/contract/error.ts';
import { HOUR } from '../time/instant.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const exhausted = (hours: number): PlatformErrorInit => ({
  kind: 'rate_limited',
  code: 'QUOTA_EXHAUSTED',
  message: 'The quota is used up',
  retryAfterMs: hours * HOUR,
});

describe('a destination whose platform quota is used up', () => {
  test('waits until the reset, also on a day of 25 hours and for several days', async () => {
    const post = await world.store();
    world.platform.commitFaults = [exhausted(25), exhausted(24), exhausted(24)];
    await world.handle(publishMessage(post));
    const destination = (await world.read(post)).destinations.x!;
    expect(destination).toMatchObject({
      status: 'retrying',
      next_attempt_at: world.clock.now + 25 * HOUR,
      error: { code: 'QUOTA_EXHAUSTED' },
    });
    const started = world.clock.now;
    await world.runUntilSettled(post);
    expect(statusOf(await world.read(post))).toBe('published');
    expect(world.clock.now - started).toBeGreaterThanOrEqual(73 * HOUR);
  });

  test('has its whole retry budget after the reset', async () => {
    const post = await world.store();
    const transient: PlatformErrorInit = { kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'no' };
    world.platform.commitFaults = [exhausted(23), transient, transient, transient];
    await world.handle(publishMessage(post));
    world.clock.now += 24 * HOUR;
    await world.runUntilSettled(post);
    expect(statusOf(await world.read(post))).toBe('published');
  });

  test('fails at once where the platform rejects it for good', async () => {
    const post = await world.store();
    world.platform.commitFaults = [{ ...exhausted(1), kind: 'rejected' }];
    await world.runUntilSettled(post);
    expect(statusOf(await world.read(post))).toBe('failed');
  });
});
