import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { crashPoints } from '../../test/support/crashing-services.ts';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import type { Destination } from '../model/destination.ts';
import type { PlatformErrorInit } from '../platforms/contract/error.ts';
import { DAY, MINUTE } from '../time/instant.ts';

/* Platforms that take a post and make it live by themselves, a while later. */

let world: DeliveryWorld;

beforeAll(async () => {
  world = await deliveryWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  world.reset();
  await world.connect('x');
  world.platform.finishing = { ms: 5 * MINUTE, givesUp: false };
});

async function publish(): Promise<Destination | undefined> {
  const post = await world.store();
  await world.schedule(post);
  await world.runUntilSettled(post);
  return (await world.read(post)).destinations.x;
}

const kinds = () => world.events.map(({ event }) => event);
const refusal: PlatformErrorInit = { kind: 'rejected', code: 'CONTENT_REJECTED', message: 'not your post' };

test('a post that the platform has taken is published when it is live, with one event', async () => {
  expect(await publish()).toMatchObject({ status: 'published', attempts: 1, failures: 0 });
  expect(world.platform.live).toHaveLength(1);
  expect(kinds()).toEqual(['post.published']);
});

test('a post that the platform has taken is asked for less and less often', async () => {
  world.platform.finishing = { ms: MINUTE, givesUp: false };
  expect(await publish()).toMatchObject({ status: 'published' });
  expect(world.sent.publish).toBeGreaterThan(3);
  expect(world.sent.publish).toBeLessThan(12);
});

test('a post that the platform gives up fails with its reason', async () => {
  world.platform.finishing = { ms: 5 * MINUTE, givesUp: true };
  expect(await publish()).toMatchObject({ status: 'failed', error: { code: 'MEDIA_REJECTED' } });
});

describe('a post that the platform has taken is not called failed because', () => {
  test('a reading is refused', async () => {
    world.platform.reconcileFaults = [refusal, refusal];
    expect(await publish()).toMatchObject({ status: 'published', attempts: 1 });
    expect(kinds()).toEqual(['post.published']);
  });

  test('a permission is missing that reconnecting would not bring back', async () => {
    const denied: PlatformErrorInit = { ...refusal, code: 'PERMISSION_MISSING', keepsAccount: true };
    world.platform.reconcileFaults = [denied];
    expect(await publish()).toMatchObject({ status: 'published' });
    expect(await world.connection('x')).toMatchObject({ needs_reconnect: false });
  });

  test('every reading is refused: the outcome is unknown after a day', async () => {
    world.platform.reconcileFaults = Array.from({ length: 5000 }, () => refusal);
    const since = world.clock.now;
    expect(await publish()).toMatchObject({
      status: 'failed',
      error: { code: 'DELIVERY_UNKNOWN', message: refusal.message },
    });
    expect(world.clock.now - since).toBeGreaterThan(DAY - 30 * MINUTE);
  });

  test('the account is lost', async () => {
    const dead: PlatformErrorInit = { kind: 'token_expired', code: 'TOKEN_EXPIRED', message: 'revoked' };
    world.platform.reconcileFaults = [dead, dead];
    expect(await publish()).toMatchObject({ status: 'failed', error: { code: 'DELIVERY_UNKNOWN' } });
    expect(kinds()).toEqual(['post.failed', 'post.token_expired']);
  });

  test('the platform never finishes', async () => {
    world.platform.finishing = { ms: 3 * DAY, givesUp: false };
    expect(await publish()).toMatchObject({
      status: 'failed',
      error: { code: 'DELIVERY_UNKNOWN', message: expect.stringMatching(/may still go live/) },
    });
  });
});

test('a killed worker leaves a taken post published once, whichever call was its last', async () => {
  world.platform.finishing = { ms: MINUTE, givesUp: false };
  const calls = await world.runWithCrash(await world.store(), null);
  for (const crash of crashPoints(calls)) {
    const post = await world.store();
    await world.runWithCrash(post, crash);
    const live = world.platform.live.filter(({ key }) => key.startsWith(post.post_id));
    const { status } = (await world.read(post)).destinations.x!;
    expect([crash, status, live.length]).toEqual([crash, 'published', 1]);
  }
});
