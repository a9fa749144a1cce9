import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { crashPoints } from '../../test/support/crashing-services.ts';
import { deliveryWorld, publishMessage, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import type { PlatformErrorInit } from '../platforms/contract/error.ts';
import { statusOf, type Post } from '../model/post.ts';
import { putConnection } from '../store/connections.ts';

let world: DeliveryWorld;

beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
  await world.connect('bluesky');
  await world.connect('telegram');
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const image: Partial<Post> = {
  post_type: 'image',
  media_urls: ['https://example.com/1.jpg', 'https://example.com/2.jpg'],
};
const liveCount = (post: Post) =>
  world.platform.live.filter(({ key }) => key.startsWith(post.post_id)).length;
const kinds = () => world.events.map(({ event }) => event);

describe('a post', () => {
  test('is published on every platform with one event each, and leaves the wake index', async () => {
    const post = await world.store({}, ['x', 'bluesky', 'telegram']);
    await world.schedule(post);
    await world.runUntilSettled(post);

    expect(statusOf(await world.read(post))).toBe('published');
    expect(liveCount(post)).toBe(3);
    expect(kinds().sort()).toEqual(['post.published', 'post.published', 'post.published']);
    expect((await world.read(post)).wake_at).toBeUndefined();
  });

  test('is never live before it is due, with its media uploaded ahead', async () => {
    const due = world.clock.now + 200_000;
    const post = await world.store({ ...image, due_at: due, scheduling: 'scheduled' });
    await world.schedule(post);
    while (world.platform.uploads < 2) {
      world.clock.now += 1000;
      await world.runDue();
    }
    expect(world.clock.now).toBeLessThan(due - 60_000);
    expect(liveCount(post)).toBe(0);

    await world.runUntilSettled(post);
    expect(liveCount(post)).toBe(1);
    expect(world.platform.live[0]!.at).toBe(due);
    expect(world.platform.uploads).toBe(2);
  });

  test('is published by the sweeper when every message is lost', async () => {
    const post = await world.store(image, ['x', 'bluesky']);
    await world.runUntilSettled(post);
    expect(statusOf(await world.read(post))).toBe('published');
    expect(liveCount(post)).toBe(2);
  });

  test('is published on time when its schedule could not be created', async () => {
    const due = world.clock.now + 3_600_000;
    const post = await world.store({ due_at: due, scheduling: 'scheduled' });
    await world.schedule(post);
    expect(world.queue).toHaveLength(0);
    await world.runUntilSettled(post);
    expect(liveCount(post)).toBe(1);
    expect(world.platform.live[0]!.at).toBe(due);
  });

  test('is published once when its message is delivered many times, concurrently and later', async () => {
    const post = await world.store();
    const message = publishMessage(post);
    await Promise.all(Array.from({ length: 8 }, () => world.handle({ ...message })));
    await world.handle({ ...message });
    await world.runUntilSettled(post);
    expect(liveCount(post)).toBe(1);
    expect(new Set(world.events.map(({ id }) => id)).size).toBe(1);
  });

  test('is not published by a message of an earlier version', async () => {
    const post = await world.store({ version: 2 });
    await world.handle(publishMessage({ ...post, version: 1 }));
    expect(liveCount(post)).toBe(0);
  });
});

test('every message of a post names its workspace as the tenant of the fair queue', async () => {
  const post = await world.store({ due_at: world.clock.now + 600_000 }, ['x', 'bluesky']);
  await world.schedule(post);
  world.platform.commitFaults = [{ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'no' }];
  const seen: { queue: string; group?: string | undefined }[] = [];
  for (const step of [0, 600_000, 30_000, 60_000]) {
    world.clock.now += step;
    seen.push(...world.queue);
    await world.runDue();
    seen.push(...world.queue);
  }
  expect(new Set(seen.map(({ queue, group }) => `${queue} of ${group}`))).toEqual(
    new Set(['dispatch of w1', 'publish of w1']),
  );
});

test('a schedule names the workspace as the tenant too', async () => {
  world.platform.scheduler = true;
  const post = await world.store({ due_at: world.clock.now + 3_600_000 });
  await world.schedule(post);
  const { workspace_id, post_id } = post;
  expect(world.schedules.map(({ Target }) => Target.Input)).toEqual([
    JSON.stringify({
      QueueUrl: 'dispatch',
      MessageBody: JSON.stringify({ workspace_id, post_id }),
      MessageGroupId: workspace_id,
    }),
  ]);
});

describe('a killed worker', () => {
  for (const [name, change] of [
    ['text', {}],
    ['image', image],
  ] as const) {
    test(`leaves a ${name} post published exactly once, whichever call was its last`, async () => {
      const plain = await world.store(change);
      const calls = await world.handleCounted(publishMessage(plain));
      expect(calls).toBeGreaterThan(6);

      for (const { at, when } of crashPoints(calls)) {
        world.queue.length = 0;
        world.events.length = 0;
        const post = await world.store(change);
        await world.handle(publishMessage(post), { at, when });
        await world.runUntilSettled(post);
        const where = `${when} call ${at}`;
        expect([where, liveCount(post)]).toEqual([where, 1]);
        expect([where, statusOf(await world.read(post))]).toEqual([where, 'published']);
        expect([where, new Set(kinds())]).toEqual([where, new Set(['post.published'])]);
        expect([where, new Set(world.events.map(({ id }) => id)).size]).toEqual([where, 1]);
      }
    });
  }

  test('never causes a second post where the platform cannot be asked, and the record says DELIVERY_UNKNOWN', async () => {
    world.platform.reconcile = 'cannot tell';
    const first = await world.store();
    const calls = await world.handleCounted(publishMessage(first));
    for (const { at, when } of crashPoints(calls)) {
      world.queue.length = 0;
      const post = await world.store();
      await world.handle(publishMessage(post), { at, when });
      await world.runUntilSettled(post);
      const destination = (await world.read(post)).destinations.x!;
      expect(liveCount(post)).toBeLessThanOrEqual(1);
      if (destination.status === 'published') expect(liveCount(post)).toBe(1);
      else expect(destination).toMatchObject({ status: 'failed', error: { code: 'DELIVERY_UNKNOWN' } });
    }
  });

  test('fails the post after ten killed workers in a row', async () => {
    const post = await world.store(image);
    const message = () => publishMessage(post);
    for (let life = 1; life <= 12; life += 1) {
      world.queue.length = 0;
      await world.handle(message(), { at: 6, when: 'after' });
      world.clock.now += 3_600_000 / 4;
    }
    await world.runUntilSettled(post);
    expect((await world.read(post)).destinations.x).toMatchObject({
      status: 'failed',
      attempts: 13,
      error: { code: 'INTERNAL' },
    });
    expect(liveCount(post)).toBe(0);
  });

  test('is replaced by the sweeper when the queue is purged too', async () => {
    const post = await world.store();
    await world.handle(publishMessage(post), { at: 5, when: 'after' });
    world.queue.length = 0;
    await world.runUntilSettled(post);
    expect(liveCount(post)).toBe(1);
    expect(kinds()).toContain('post.published');
  });
});

describe('a commit whose response is lost', () => {
  const lost = (accepted: boolean): PlatformErrorInit & { accepted: boolean } => ({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'timeout',
    outcomeUnknown: true,
    accepted,
  });

  test('is reconciled, and published when the platform has it', async () => {
    world.platform.commitFaults = [lost(true)];
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect(liveCount(post)).toBe(1);
    expect((await world.read(post)).destinations.x).toMatchObject({ status: 'published', attempts: 1 });
  });

  test('is sent again when the platform does not have the post', async () => {
    world.platform.commitFaults = [lost(false)];
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect(liveCount(post)).toBe(1);
  });

  test('counts as a failure with backoff and event, up to ten times, when the platform does not have the post', async () => {
    world.platform.commitFaults = Array.from({ length: 20 }, () => lost(false));
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect(liveCount(post)).toBe(0);
    expect((await world.read(post)).destinations.x).toMatchObject({
      status: 'failed',
      attempts: 10,
      error: { code: 'PLATFORM_UNAVAILABLE' },
    });
    expect(kinds().filter(kind => kind === 'post.retry')).toHaveLength(9);
  });

  test('fails in the words of the platform when it repeats an answer that is final then', async () => {
    const answer = { ...lost(false), message: 'An unknown error occurred', retries: 2 };
    world.platform.commitFaults = Array.from({ length: 20 }, () => answer);
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect((await world.read(post)).destinations.x).toMatchObject({
      status: 'failed',
      attempts: 3,
      error: { code: 'PLATFORM_UNAVAILABLE', message: answer.message },
    });
  });

  test('is unknown where the platform may list what it has refused twice only later', async () => {
    const answer = { ...lost(false), code: 'DELIVERY_UNKNOWN', message: 'Try later', retries: 1 } as const;
    world.platform.commitFaults = [answer, answer];
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    const { data } = world.events.find(({ event }) => event === 'post.retry')!;
    expect(data).toMatchObject({ error: { code: 'PLATFORM_UNAVAILABLE', message: 'Try later' } });
    expect((await world.read(post)).destinations.x).toMatchObject({
      status: 'failed',
      attempts: 2,
      error: { code: 'DELIVERY_UNKNOWN', message: 'Try later' },
    });
  });

  test('is reconciled again when reading fails, whatever the error', async () => {
    world.platform.commitFaults = [lost(true)];
    world.platform.reconcileFaults = [
      ...Array.from({ length: 12 }, () => lost(false)),
      { kind: 'rejected', code: 'CONTENT_REJECTED', message: 'unknown query' },
    ];
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect(liveCount(post)).toBe(1);
    expect((await world.read(post)).destinations.x).toMatchObject({ status: 'published', attempts: 1 });
  });

  test('fails as DELIVERY_UNKNOWN with post.token_expired when the account is lost before it is reconciled', async () => {
    await world.connect('bluesky');
    const dead: PlatformErrorInit = { kind: 'token_expired', code: 'TOKEN_EXPIRED', message: 'revoked' };
    world.platform.commitFaults = [lost(true)];
    world.platform.reconcileFaults = [dead, dead];
    const post = await world.store({}, ['telegram']);
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect((await world.read(post)).destinations.telegram).toMatchObject({
      status: 'failed',
      error: { code: 'DELIVERY_UNKNOWN' },
    });
    expect(kinds()).toEqual(['post.failed', 'post.token_expired']);
    expect(await world.connection('telegram')).toMatchObject({ needs_reconnect: true });
    await world.connect('telegram');
  });

  test('fails as DELIVERY_UNKNOWN where the platform cannot tell', async () => {
    world.platform.commitFaults = [lost(true)];
    world.platform.reconcile = 'cannot tell';
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect(liveCount(post)).toBe(1);
    expect((await world.read(post)).destinations.x).toMatchObject({ error: { code: 'DELIVERY_UNKNOWN' } });
    expect(kinds()).toEqual(['post.failed']);
  });
});

describe('an error of the platform', () => {
  const refused = (init: Partial<PlatformErrorInit>): PlatformErrorInit => ({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'no',
    ...init,
  });

  test('is retried after a minute with an event when it is transient', async () => {
    world.platform.commitFaults = [refused({})];
    const begun = world.clock.now;
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect(kinds()).toEqual(['post.retry', 'post.published']);
    expect(world.platform.live[0]!.at - begun).toBe(60_000);
    expect((await world.read(post)).destinations.x).toMatchObject({ attempts: 2 });
  });

  test('is retried at the reset time that it names, however far away', async () => {
    world.platform.commitFaults = [
      refused({ kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: 7_200_000 }),
    ];
    const begun = world.clock.now;
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect(world.platform.live[0]!.at - begun).toBe(7_200_000);
    expect(statusOf(await world.read(post))).toBe('published');
  });

  test('creates a schedule ahead of a reset time that is out of reach of the queue', async () => {
    world.platform.scheduler = true;
    world.platform.commitFaults = [
      refused({ kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: 7_200_000 }),
    ];
    const post = await world.store();
    await world.schedule(post);
    await world.runDue();
    const at = world.clock.now + 7_200_000 - 90_000;
    expect(world.schedules).toEqual([
      expect.objectContaining({
        Name: `post-${post.post_id}-1-${Math.floor((at + 90_000) / 1000)}`,
        ScheduleExpression: `at(${new Date(at).toISOString().slice(0, 19)})`,
      }),
    ]);
  });

  test("fails at once with the platform's own words when it is final", async () => {
    world.platform.commitFaults = [
      refused({ kind: 'rejected', code: 'CONTENT_REJECTED', message: 'Text is rude' }),
    ];
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect((await world.read(post)).destinations.x).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: { code: 'CONTENT_REJECTED', category: 'content', message: 'Text is rude', retryable: false },
    });
    expect(kinds()).toEqual(['post.failed']);
  });

  test('fails the destination after ten attempts', async () => {
    world.platform.commitFaults = Array.from({ length: 20 }, () => refused({}));
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect((await world.read(post)).destinations.x).toMatchObject({ status: 'failed', attempts: 10 });
    expect(kinds().filter(kind => kind === 'post.retry')).toHaveLength(9);
    expect(new Set(world.events.map(({ id }) => id)).size).toBe(10);
  });

  test('counts only consecutive failures: twelve scattered over a long upload do not stop it', async () => {
    world.platform.parts = 100;
    const media = { post_type: 'image' as const, media_urls: ['https://example.com/large.jpg'] };
    world.platform.uploadFaults = [5, 12, 25, 33, 45, 52, 65, 71, 85, 90, 95, 99];
    const post = await world.store(media);
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect((await world.read(post)).destinations.x).toMatchObject({ status: 'published', attempts: 13 });
    expect(kinds().filter(kind => kind === 'post.retry')).toHaveLength(12);

    world.platform.uploadFaults = Array.from({ length: 12 }, () => 50);
    const stuck = await world.store(media);
    await world.schedule(stuck);
    await world.runUntilSettled(stuck);
    expect((await world.read(stuck)).destinations.x).toMatchObject({ status: 'failed', attempts: 10 });
    Object.assign(world.platform, { parts: 1, uploadFaults: [] });
  });

  test('B083: affects only its own platform, which says why', async () => {
    world.platform.commitFaults = [refused({ kind: 'rejected', code: 'CONTENT_REJECTED' })];
    const post = await world.store({}, ['x', 'bluesky', 'telegram']);
    await world.schedule(post);
    await world.runUntilSettled(post);
    const after = await world.read(post);
    expect(statusOf(after)).toBe('partially_published');
    expect(liveCount(post)).toBe(2);
    const destinations = Object.values(after.destinations);
    expect(destinations.filter(({ status }) => status === 'published')).toEqual(
      Array(2).fill(expect.objectContaining({ attempts: 1, platform_post_url: expect.any(String) })),
    );
    expect(destinations.filter(({ status }) => status === 'failed')).toMatchObject([
      { attempts: 1, error: { code: 'CONTENT_REJECTED' } },
    ]);
    expect(kinds().sort()).toEqual(['post.failed', 'post.published', 'post.published']);
  });
});

describe('a dead letter', () => {
  const dead = (post: Post) => publishMessage(post, 'x', { receives: 5 });

  test('retries a post after an outage', async () => {
    const post = await world.store();
    world.clock.now += 1_800_000;
    await world.handle(dead(post));
    expect(await world.read(post)).toMatchObject({
      destinations: { x: { status: 'retrying', error: { code: 'INTERNAL' } } },
    });
    await world.runUntilSettled(post);
    expect(statusOf(await world.read(post))).toBe('published');
    expect(kinds()).toEqual(['post.retry', 'post.published']);
  });

  test('fails a post whose deliveries keep failing, with an event', async () => {
    const post = await world.store();
    await world.handle(dead(post));
    world.clock.now += 3_600_000;
    await world.handle(dead(post));
    expect(await world.read(post)).toMatchObject({
      destinations: { x: { status: 'failed', error: { code: 'INTERNAL' } } },
    });
    expect(kinds()).toEqual(['post.retry', 'post.failed']);
  });

  test('leaves a post alone that waits for its next attempt', async () => {
    world.platform.commitFaults = [{ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'no' }];
    const post = await world.store();
    await world.schedule(post);
    await world.runDue();
    await world.handle(dead(post));
    expect(await world.read(post)).toMatchObject({
      destinations: { x: { status: 'retrying', failures: 1 } },
    });
  });
});

describe('an account that must be reconnected', () => {
  test('publishes until its access token expires', async () => {
    const account = (await world.connection('bluesky'))!;
    const token_expires_at = world.clock.now + 20 * 60_000;
    await putConnection(world.table, { ...account, needs_reconnect: true, token_expires_at });
    const outcomes = [];
    for (const ahead of [0, 20 * 60_000]) {
      world.clock.now += ahead;
      const post = await world.store({}, ['bluesky']);
      await world.schedule(post);
      await world.runUntilSettled(post);
      outcomes.push((await world.read(post)).destinations.bluesky!.status);
    }
    expect(outcomes).toEqual(['published', 'failed']);
    expect(kinds()).toEqual(['post.published', 'post.failed', 'post.token_expired']);
    await putConnection(world.table, account);
  });

  test('fails the destination with post.token_expired', async () => {
    world.platform.commitFaults = [
      { kind: 'token_expired', code: 'TOKEN_EXPIRED', message: 'revoked' },
      { kind: 'token_expired', code: 'TOKEN_EXPIRED', message: 'revoked' },
    ];
    const post = await world.store({}, ['telegram']);
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect((await world.read(post)).destinations.telegram).toMatchObject({
      error: { code: 'TOKEN_EXPIRED' },
    });
    expect(kinds()).toEqual(['post.failed', 'post.token_expired']);

    const next = await world.store({}, ['telegram']);
    await world.schedule(next);
    await world.runUntilSettled(next);
    expect((await world.read(next)).destinations.telegram).toMatchObject({
      error: { code: 'TOKEN_EXPIRED' },
    });
  });

  test('leaves no doubt about a refused commit when the worker is killed while it renews the credentials', async () => {
    const refused: PlatformErrorInit = { kind: 'token_expired', code: 'TOKEN_EXPIRED', message: 'revoked' };
    const killedAt = async (at: number): Promise<Post> => {
      await world.connect('telegram');
      world.platform.commitFaults = [refused];
      const post = await world.store({}, ['telegram']);
      await world.schedule(post);
      await world.handle(world.queue.pop()!, { at, when: 'before' });
      return post;
    };
    let request = 1;
    do await killedAt((request += 1));
    while (world.platform.commitFaults.length > 0);
    world.queue.length = 0;
    // The refusal is stored, and then the renewal begins.
    const post = await killedAt(request + 2);
    expect((await world.read(post)).destinations.telegram).toMatchObject({
      status: 'publishing',
      intent: null,
    });
    world.platform.commitFaults = [refused, refused];
    await world.runUntilSettled(post);
    expect((await world.read(post)).destinations.telegram).toMatchObject({
      error: { code: 'TOKEN_EXPIRED' },
    });
  });
});
