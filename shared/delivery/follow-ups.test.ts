import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { crashPoints } from '../../test/support/crashing-services.ts';
import { deliveryWorld, publishMessage, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import type { FakeFault, FakeFollowUp } from '../../test/support/fake-platform.ts';
import { firstCommentOf, followUpsOf } from '../model/destination.ts';
import type { PlatformId } from '../model/platform.ts';
import { statusOf, type Post } from '../model/post.ts';
import { RULES } from '../platforms/registry/rules.ts';
import { putConnection } from '../store/connections.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../time/instant.ts';
import { readyAt } from './sweep.ts';

let world: DeliveryWorld;

beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
  await world.connect('linkedin');
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const keyOf = (post: Post) => `${post.post_id}:x`;
const destinationOf = async (post: Post) => Object.values((await world.read(post)).destinations)[0]!;
const followUpOf = async (post: Post, name = 'thumbnail') =>
  followUpsOf(await destinationOf(post)).find(each => each.name === name);
const kinds = () => world.events.map(({ event }) => event);
const effects = (name: string) => world.platform.effects.filter(effect => effect.includes(` ${name}`));

async function publish(change: Partial<Post> = {}, platform: PlatformId = 'x'): Promise<Post> {
  const post = await world.store(change, [platform]);
  await world.schedule(post);
  await world.runUntilSettled(post);
  return post;
}

const transient = (change: Partial<FakeFault> = {}): FakeFault => ({
  kind: 'transient',
  code: 'PLATFORM_UNAVAILABLE',
  message: 'busy',
  ...change,
});

describe('a follow-up', () => {
  test('runs once after the post is live, and is stored as done', async () => {
    world.platform.followUps = [{ name: 'thumbnail' }, { name: 'playlist' }];
    const post = await publish();
    expect(world.platform.effects).toEqual([`${keyOf(post)} thumbnail`, `${keyOf(post)} playlist`]);
    expect(followUpsOf(await destinationOf(post))).toEqual([
      { name: 'thumbnail', status: 'done', error: null },
      { name: 'playlist', status: 'done', error: null },
    ]);
    expect(await world.read(post)).not.toHaveProperty('wake_at');
    expect(kinds()).toEqual(['post.published']);
  });

  test('runs after the event of the live post was sent', async () => {
    world.platform.followUps = [{ name: 'thumbnail' }];
    world.platform.followUpFaults = { thumbnail: [transient()] };
    const post = await world.store();
    await world.schedule(post);
    await world.runDue();
    expect(kinds()).toEqual(['post.published']);
    expect(await followUpOf(post)).toMatchObject({ status: 'pending' });
    expect(statusOf(await world.read(post))).toBe('published');
  });

  test('continues in parts and waits without holding the invocation', async () => {
    world.platform.followUps = [{ name: 'thumbnail', parts: 3, waits: 2 }];
    const begun = world.clock.now;
    const post = await publish();
    expect(await followUpOf(post)).toMatchObject({ status: 'done' });
    expect(effects('thumbnail')).toHaveLength(1);
    expect(world.clock.now - begun).toBeGreaterThanOrEqual(10 * SECOND);
  });

  test('amends the id and the URL of the post', async () => {
    const amend = { platform_post_id: 'public', platform_post_url: 'https://example.com/public' };
    world.platform.followUps = [{ name: 'public_id', waits: 1, amend }];
    const post = await publish();
    expect(await destinationOf(post)).toMatchObject({ status: 'published', ...amend });
  });

  test('does not delay the others while it waits for its next attempt', async () => {
    world.platform.followUps = [{ name: 'thumbnail' }, { name: 'playlist' }];
    world.platform.followUpFaults = { thumbnail: [transient()] };
    const post = await world.store();
    await world.schedule(post);
    await world.runDue();
    expect(await followUpOf(post, 'playlist')).toMatchObject({ status: 'done' });
    expect(await followUpOf(post)).toMatchObject({ status: 'pending' });
    await world.runUntilSettled(post);
    expect(await followUpOf(post)).toMatchObject({ status: 'done' });
  });

  test('runs again after the delays of the retry table, ten times at most, and then fails alone', async () => {
    world.platform.followUps = [{ name: 'thumbnail' }];
    world.platform.followUpFaults = { thumbnail: Array.from({ length: 20 }, () => transient()) };
    const begun = world.clock.now;
    const post = await publish();
    expect(world.platform.followUpFaults['thumbnail']).toHaveLength(10);
    expect(await followUpOf(post)).toMatchObject({
      status: 'failed',
      error: { code: 'PLATFORM_UNAVAILABLE' },
    });
    expect(statusOf(await world.read(post))).toBe('published');
    expect(kinds()).toEqual(['post.published']);
    // 1 + 2 + 4 + 8 + 5 × 15 minutes.
    expect(Math.floor((world.clock.now - begun) / MINUTE)).toBe(90);
  });

  test('is retried at the reset time that the platform names, within a day', async () => {
    world.platform.followUps = [{ name: 'thumbnail' }, { name: 'playlist' }];
    const limited = (retryAfterMs: number) =>
      transient({ kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs });
    world.platform.followUpFaults = { thumbnail: [limited(2 * 60 * MINUTE)], playlist: [limited(2 * DAY)] };
    const post = await publish();
    expect(await followUpOf(post)).toMatchObject({ status: 'done' });
    expect(await followUpOf(post, 'playlist')).toMatchObject({
      status: 'failed',
      error: { code: 'PLATFORM_RATE_LIMIT' },
    });
  });

  test('has its whole retry budget after it waited for a quota, however long that was', async () => {
    const exhausted = transient({ kind: 'rate_limited', code: 'QUOTA_EXHAUSTED', retryAfterMs: 25 * HOUR });
    const nine = Array.from({ length: 9 }, () => transient());
    world.platform.followUps = [{ name: 'thumbnail' }];
    world.platform.followUpFaults = { thumbnail: [...nine, exhausted, ...nine] };
    const post = await publish();
    expect(await followUpOf(post)).toMatchObject({ status: 'done' });
    expect(effects('thumbnail')).toHaveLength(1);
  });

  test('fails when the platform has not finished it within a day', async () => {
    world.platform.followUps = [{ name: 'thumbnail', waits: 3 }];
    const post = await world.store();
    await world.handle(publishMessage(post));
    world.clock.now += 1 * DAY - 1 * SECOND;
    await world.handle(publishMessage(post));
    expect(await followUpOf(post)).toMatchObject({
      status: 'failed',
      error: { code: 'PLATFORM_UNAVAILABLE', message: 'The platform did not finish thumbnail within a day' },
    });
  });

  test.each(['rejected', 'token_expired'] as const)('fails at once after an error of kind %s', async kind => {
    world.platform.followUps = [{ name: 'thumbnail' }];
    const refusal = transient({ kind, code: 'PERMISSION_MISSING', message: 'Not allowed' });
    world.platform.followUpFaults = { thumbnail: [refusal, refusal] };
    const post = await publish();
    expect(effects('thumbnail')).toEqual([]);
    expect(await followUpOf(post)).toMatchObject({ status: 'failed' });
    expect(world.platform.live).toHaveLength(1);
    await world.connect('x');
  });

  test('that the platform rejects fails alone, with the reason', async () => {
    world.platform.followUps = [{ name: 'thumbnail', rejects: {} }];
    const post = await publish();
    expect(await followUpOf(post)).toMatchObject({
      status: 'failed',
      error: { code: 'CONTENT_REJECTED', message: 'Not here' },
    });
    expect(statusOf(await world.read(post))).toBe('published');
  });

  test('by which the platform withdraws the post fails the destination, with an event', async () => {
    world.platform.followUps = [{ name: 'review', waits: 1, rejects: { revokes: true } }];
    const post = await publish();
    expect(await destinationOf(post)).toMatchObject({
      status: 'failed',
      error: { code: 'CONTENT_REJECTED', message: 'Not here' },
    });
    expect(kinds()).toEqual(['post.published', 'post.failed']);
    expect(await world.read(post)).not.toHaveProperty('wake_at');
  });

  test('of an account that was disconnected fails', async () => {
    world.platform.followUps = [{ name: 'thumbnail' }];
    world.platform.followUpFaults = { thumbnail: [transient()] };
    const post = await world.store();
    await world.schedule(post);
    await world.runDue();
    const connection = (await world.connection('x'))!;
    await putConnection(world.table, { ...connection, needs_reconnect: true });
    await world.runUntilSettled(post);
    expect(await followUpOf(post)).toMatchObject({ status: 'failed', error: { code: 'TOKEN_EXPIRED' } });
    await putConnection(world.table, connection);
  });

  test('that this version of the service does not have fails', async () => {
    world.platform.followUps = [{ name: 'thumbnail' }];
    world.platform.followUpFaults = { thumbnail: [transient()] };
    const post = await world.store();
    await world.schedule(post);
    await world.runDue();
    world.platform.followUps = [];
    await world.runUntilSettled(post);
    expect(await followUpOf(post)).toMatchObject({ status: 'failed', error: { code: 'INTERNAL' } });
  });
});

describe('a follow-up whose response is lost', () => {
  const lost = (accepted: boolean) => transient({ outcomeUnknown: true, accepted });

  test.each<[string, Partial<FakeFollowUp>, boolean, object]>([
    ['is done when the platform has it', { reconcile: 'by key' }, true, { status: 'done' }],
    ['runs again when the platform does not have it', { reconcile: 'by key' }, false, { status: 'done' }],
    [
      'fails when the platform cannot tell',
      { reconcile: 'cannot tell' },
      true,
      { error: { code: 'DELIVERY_UNKNOWN' } },
    ],
    ['fails when it cannot be reconciled', {}, true, { error: { code: 'DELIVERY_UNKNOWN' } }],
    ['runs again when it is idempotent', { idempotent: true }, true, { status: 'done' }],
  ])('%s', async (_, change, accepted, expected) => {
    world.platform.followUps = [{ name: 'thumbnail', ...change }];
    world.platform.followUpFaults = { thumbnail: [lost(accepted)] };
    const post = await publish();
    expect(await followUpOf(post)).toMatchObject(expected);
    expect(effects('thumbnail')).toHaveLength(1);
  });

  test('runs ten times at most when the platform never has it, with growing delays', async () => {
    world.platform.followUps = [{ name: 'thumbnail', reconcile: 'by key' }];
    world.platform.followUpFaults = { thumbnail: Array.from({ length: 20 }, () => lost(false)) };
    const begun = world.clock.now;
    const post = await publish();
    expect(world.platform.followUpFaults['thumbnail']).toHaveLength(10);
    expect(await followUpOf(post)).toMatchObject({
      status: 'failed',
      error: { code: 'PLATFORM_UNAVAILABLE' },
    });
    expect(world.clock.now - begun).toBeGreaterThan(90 * MINUTE);
  });

  test('is reconciled when the reads of the platform have caught up', async () => {
    world.platform.followUps = [{ name: 'thumbnail', reconcile: 'by key' }];
    world.platform.followUpFaults = { thumbnail: [lost(true)] };
    const post = await world.store();
    await world.handle(publishMessage(post));
    const settled = world.clock.now + RULES.x.settle_ms;
    expect(await destinationOf(post)).toMatchObject({ follow_ups: [{ next_attempt_at: settled }] });
  });

  test('because its worker died is reconciled after the lease has expired and the reads have caught up', async () => {
    for (let at = 1; effects('thumbnail').length === 0; at += 1) {
      world.platform.followUps = [{ name: 'thumbnail', reconcile: 'by key' }];
      const post = await world.store();
      await world.handle(publishMessage(post), { at, when: 'after' });
      if (effects('thumbnail').length === 0) continue;
      const destination = await destinationOf(post);
      const lease = destination.status === 'published' && destination.lease;
      const { settle_ms, worker } = RULES.x;
      expect(lease).toMatchObject({ until: world.clock.now + worker.timeout_s * SECOND + 15 * SECOND });
      expect(readyAt(post, destination)).toBe((lease || { until: 0 }).until + settle_ms);
    }
  });
});

describe('a dead letter', () => {
  const dead = (post: Post) => publishMessage(post, 'x', { receives: 5 });

  test('counts five failures of a follow-up that is due, and fails it after ten', async () => {
    world.platform.followUps = [{ name: 'thumbnail' }];
    world.platform.followUpFaults = { thumbnail: [transient()] };
    const post = await world.store();
    await world.schedule(post);
    await world.runDue();
    world.clock.now += 2 * MINUTE;
    await world.handle(dead(post));
    expect(await followUpOf(post)).toMatchObject({ status: 'pending' });
    world.clock.now += 20 * MINUTE;
    await world.handle(dead(post));
    expect(await followUpOf(post)).toMatchObject({ status: 'failed', error: { code: 'INTERNAL' } });
    expect(await world.read(post)).not.toHaveProperty('wake_at');
  });
});

describe('a first comment', () => {
  test('is posted once, with its text, and shown as published', async () => {
    const post = await publish({ first_comment: 'See (v2) #x' }, 'linkedin');
    expect(world.platform.effects).toEqual([`${post.post_id}:linkedin first_comment See (v2) #x`]);
    expect(firstCommentOf(await destinationOf(post))).toEqual({ status: 'published', error: null });
  });

  test('that the platform rejects never fails or repeats the post, and shows why', async () => {
    const error = { code: 'CONTENT_REJECTED', message: 'No comments here' } as const;
    world.platform.followUpFaults = { first_comment: [{ kind: 'rejected', ...error }] };
    const post = await publish({ first_comment: 'First' }, 'linkedin');
    expect(world.platform.live).toHaveLength(1);
    expect(firstCommentOf(await destinationOf(post))).toMatchObject({ status: 'failed', error });
    expect(kinds()).toEqual(['post.published']);
  });
});

describe('a killed worker', () => {
  const FOLLOW_UPS: FakeFollowUp[] = [
    { name: 'thumbnail', idempotent: true, parts: 2 },
    { name: 'playlist', reconcile: 'by key', waits: 1 },
    { name: 'captions' },
  ];

  test('leaves one post, and each follow-up done once or failed as unknown, whichever call was its last', async () => {
    world.platform.followUps = FOLLOW_UPS;
    const calls = await world.runWithCrash(await world.store(), null);
    expect(calls).toBeGreaterThan(25);
    for (const { at, when } of crashPoints(calls)) {
      world.reset();
      world.platform.followUps = FOLLOW_UPS;
      const post = await world.store();
      await world.runWithCrash(post, { at, when });
      const where = `${when} call ${at}`;
      const states = Object.fromEntries(
        followUpsOf(await destinationOf(post)).map(each => [each.name, each]),
      );
      expect([where, world.platform.live.length]).toEqual([where, 1]);
      expect([where, states['thumbnail']?.status, effects('thumbnail').length]).toEqual([where, 'done', 1]);
      expect([where, states['playlist']?.status, effects('playlist').length]).toEqual([where, 'done', 1]);
      // Whether captions exist cannot be found out: what is in doubt is never repeated.
      const { status, error } = states['captions']!;
      const isTrue =
        status === 'done' ? effects('captions').length === 1 : error?.code === 'DELIVERY_UNKNOWN';
      expect([where, isTrue, effects('captions').length <= 1]).toEqual([where, true, true]);
      expect([where, new Set(kinds())]).toEqual([where, new Set(['post.published'])]);
    }
  });

  test('is followed by others up to ten times, then the follow-up fails', async () => {
    world.platform.followUps = [{ name: 'thumbnail', idempotent: true }];
    world.platform.followUpFaults = { thumbnail: [transient()] };
    const post = await world.store();
    await world.schedule(post);
    await world.runDue();
    for (let life = 1; life <= 12; life += 1) {
      world.queue.length = 0;
      world.clock.now += 15 * MINUTE;
      // The third call of a delivery that finds a pending follow-up acquires its lease.
      await world.handle(publishMessage(post), { at: 3, when: 'after' });
    }
    await world.runUntilSettled(post);
    expect(effects('thumbnail')).toEqual([]);
    expect(await followUpOf(post)).toMatchObject({ status: 'failed', error: { code: 'INTERNAL' } });
  });
});
