import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { connectionId, deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import type { FakeFault } from '../../test/support/fake-platform.ts';
import type { Destination } from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import { listCapReservations } from '../store/cap-reservations.ts';
import { replaceTargets } from '../store/targets.ts';
import { DAY, MINUTE } from '../time/instant.ts';

/* The account and the target of a post, when others take their place. */

let world: DeliveryWorld;

beforeAll(async () => {
  world = await deliveryWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  world.reset();
  await world.connect('x');
});

const lost: FakeFault = {
  kind: 'transient',
  code: 'PLATFORM_UNAVAILABLE',
  message: 'timeout',
  outcomeUnknown: true,
};
const own = connectionId('x');
const other = { id: 'c-other', platform_user_id: 'u2' };

const destinationOf = async (post: Post): Promise<Destination> =>
  Object.values((await world.read(post)).destinations)[0]!;
const reservationsOf = (account: string) =>
  listCapReservations(world.table, account, 0, world.clock.now + DAY);

/** Runs a post whose account is replaced after the first attempt. */
async function replacedAfterFirstAttempt(change: Partial<Post> = {}): Promise<Post> {
  const post = await world.store(change);
  await world.schedule(post);
  await world.runDue();
  await world.connect('x', other);
  await world.runUntilSettled(post);
  return post;
}

describe('an account that replaces another', () => {
  test('gets the scheduled posts, which count for its daily cap', async () => {
    const post = await world.store({ due_at: world.clock.now + 10 * MINUTE });
    await world.schedule(post);
    await world.connect('x', other);
    await world.runUntilSettled(post);
    expect(await destinationOf(post)).toMatchObject({ status: 'published', social_account_id: 'c-other' });
    expect(world.platform.owners).toEqual(['c-other -']);
    expect(await reservationsOf(own)).toEqual([]);
    expect(await reservationsOf('c-other')).toHaveLength(1);
  });

  test('is not asked for, and does not get, a post whose response was lost', async () => {
    world.platform.commitFaults = [{ ...lost, accepted: true }];
    const post = await replacedAfterFirstAttempt();
    expect(await destinationOf(post)).toMatchObject({
      status: 'failed',
      social_account_id: own,
      error: { code: 'DELIVERY_UNKNOWN' },
    });
    expect(world.platform.owners).toEqual([`${own} -`]);
    expect(await world.connection('x')).toMatchObject({ needs_reconnect: false });
  });

  test('does not continue what the other account has uploaded', async () => {
    world.platform.commitFaults = [{ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'busy' }];
    const post = await replacedAfterFirstAttempt({
      post_type: 'image',
      media_urls: ['https://example.com/1.jpg'],
    });
    expect(await destinationOf(post)).toMatchObject({ status: 'failed', error: { code: 'TOKEN_EXPIRED' } });
    expect(world.platform.live).toEqual([]);
  });

  test('does not comment on posts of the other', async () => {
    world.platform.followUps = [{ name: 'thumbnail' }];
    world.platform.followUpFaults = {
      thumbnail: [{ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'busy' }],
    };
    const post = await replacedAfterFirstAttempt();
    expect(await destinationOf(post)).toMatchObject({
      status: 'published',
      follow_ups: [{ status: 'failed', error: { code: 'TOKEN_EXPIRED' } }],
    });
    expect(world.platform.effects).toEqual([]);
  });
});

test('a post whose response was lost is looked for at its target, whatever is the default now', async () => {
  const targets = ['first', 'second'].map(id => ({ id, name: id, attributes: {}, sealed: null }));
  await world.connect('linkedin', { default_target_id: 'first' });
  await replaceTargets(world.table, { id: connectionId('linkedin'), workspace_id: 'w1' }, targets);
  world.platform.commitFaults = [lost];
  const post = await world.store({}, ['linkedin']);
  await world.schedule(post);
  await world.runDue();
  await world.connect('linkedin', { default_target_id: 'second' });
  await world.runUntilSettled(post);
  expect(world.platform.owners).toEqual(Array.from({ length: 3 }, () => `${connectionId('linkedin')} first`));
  expect(await destinationOf(post)).toMatchObject({ status: 'published', target_id: 'first' });
});
