import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
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
beforeEach(() => {
  world.queue.length = 0;
  world.events.length = 0;
  Object.assign(world.platform, {
    live: [],
    uploads: 0,
    failures: [],
    reconcile: 'by key',
    askFaults: [],
    scheduler: false,
  });
  world.schedules.length = 0;
});

const image: Partial<Post> = {
  post_type: 'image',
  media_urls: ['https://example.com/1.jpg', 'https://example.com/2.jpg'],
};
const liveCount = (post: Post) =>
  world.platform.live.filter(({ key }) => key.startsWith(post.post_id)).length;
const kinds = () => world.events.map(({ event }) => event);

describe('a post is published', () => {
  test('at once: one live post, one event, nothing left to look after', async () => {
    const post = await world.store({}, ['x', 'bluesky', 'telegram']);
    await world.alarm(post);
    await world.settle(post);

    expect(statusOf(await world.read(post))).toBe('published');
    expect(liveCount(post)).toBe(3);
    expect(kinds().sort()).toEqual(['post.published', 'post.published', 'post.published']);
    expect((await world.read(post)).wake_at).toBeUndefined();
  });

  test('never before its time, with its media uploaded ahead', async () => {
    const due = world.clock.now + 200_000;
    const post = await world.store({ ...image, due_at: due, scheduling: 'scheduled' });
    await world.alarm(post);
    while (world.platform.uploads < 2) {
      world.clock.now += 1000;
      await world.runDue();
    }
    expect(world.clock.now).toBeLessThan(due - 60_000);
    expect(liveCount(post)).toBe(0);

    await world.settle(post);
    expect(liveCount(post)).toBe(1);
    expect(world.platform.live[0]!.at).toBeGreaterThanOrEqual(due - 1000);
    expect(world.platform.uploads).toBe(2);
  });

  test('when every note is lost: the sweeper finds it', async () => {
    const post = await world.store(image, ['x', 'bluesky']);
    await world.settle(post);
    expect(statusOf(await world.read(post))).toBe('published');
    expect(liveCount(post)).toBe(2);
  });

  test('when its schedule could not be set', async () => {
    const due = world.clock.now + 3_600_000;
    const post = await world.store({ due_at: due, scheduling: 'scheduled' });
    await world.alarm(post);
    expect(world.queue).toHaveLength(0);
    await world.settle(post);
    expect(liveCount(post)).toBe(1);
    expect(world.platform.live[0]!.at - due).toBeLessThan(2000);
  });

  test('once, when its note is delivered many times, in parallel and later', async () => {
    const post = await world.store();
    const message = { queue: 'publish', body: noteOf(post), at: 0, receives: 0 };
    await Promise.all(Array.from({ length: 8 }, () => world.handle({ ...message })));
    await world.handle({ ...message });
    await world.settle(post);
    expect(liveCount(post)).toBe(1);
    expect(new Set(world.events.map(({ id }) => id)).size).toBe(1);
  });

  test('not at all for a note of an earlier version', async () => {
    const post = await world.store({ version: 2 });
    await world.handle({ queue: 'publish', body: noteOf({ ...post, version: 1 }), at: 0, receives: 0 });
    expect(liveCount(post)).toBe(0);
  });
});

test('every note of a post names its workspace as the tenant of a fair queue', async () => {
  const post = await world.store({ due_at: world.clock.now + 600_000 }, ['x', 'bluesky']);
  await world.alarm(post);
  world.platform.faults = [{ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'no' }];
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

test('a schedule names its workspace as the tenant, too', async () => {
  world.platform.scheduler = true;
  const post = await world.store({ due_at: world.clock.now + 3_600_000 });
  await world.alarm(post);
  const { workspace_id, post_id } = post;
  expect(world.schedules.map(({ Target }) => Target.Input)).toEqual([
    JSON.stringify({
      QueueUrl: 'dispatch',
      MessageBody: JSON.stringify({ workspace_id, post_id }),
      MessageGroupId: workspace_id,
    }),
  ]);
});

describe('a worker dies', () => {
  for (const [name, change] of [
    ['text', {}],
    ['image', image],
  ] as const) {
    test(`at any call of a ${name} post, before or after it took effect: published exactly once`, async () => {
      const plain = await world.store(change);
      const calls = await world.handleCounted({ queue: 'publish', body: noteOf(plain), at: 0, receives: 0 });
      expect(calls).toBeGreaterThan(6);

      for (let at = 1; at <= calls; at += 1) {
        for (const when of ['before', 'after'] as const) {
          world.queue.length = 0;
          world.events.length = 0;
          const post = await world.store(change);
          await world.handle({ queue: 'publish', body: noteOf(post), at: 0, receives: 0 }, { at, when });
          await world.settle(post);
          const where = `${when} call ${at}`;
          expect([where, liveCount(post)]).toEqual([where, 1]);
          expect([where, statusOf(await world.read(post))]).toEqual([where, 'published']);
          expect([where, new Set(kinds())]).toEqual([where, new Set(['post.published'])]);
          expect([where, new Set(world.events.map(({ id }) => id)).size]).toEqual([where, 1]);
        }
      }
    });
  }

  test('where the platform cannot be asked: never twice, and the record says what is not known', async () => {
    world.platform.reconcile = 'cannot tell';
    const first = await world.store();
    const calls = await world.handleCounted({ queue: 'publish', body: noteOf(first), at: 0, receives: 0 });
    for (let at = 1; at <= calls; at += 1) {
      for (const when of ['before', 'after'] as const) {
        world.queue.length = 0;
        const post = await world.store();
        await world.handle({ queue: 'publish', body: noteOf(post), at: 0, receives: 0 }, { at, when });
        await world.settle(post);
        const destination = (await world.read(post)).destinations.x!;
        expect(liveCount(post)).toBeLessThanOrEqual(1);
        if (destination.status === 'published') expect(liveCount(post)).toBe(1);
        else expect(destination).toMatchObject({ status: 'failed', error: { code: 'DELIVERY_UNKNOWN' } });
      }
    }
  });

  test('each time it begins: the first that lives on gives the post up instead of dying of it, too', async () => {
    const post = await world.store();
    const message = () => ({ queue: 'publish', body: noteOf(post), at: 0, receives: 0 });
    for (let life = 1; life <= 12; life += 1) {
      world.queue.length = 0;
      await world.handle(message(), { at: 3, when: 'after' });
      world.clock.now += 3_600_000 / 4;
    }
    await world.settle(post);
    expect((await world.read(post)).destinations.x).toMatchObject({
      status: 'failed',
      attempts: 13,
      error: { code: 'INTERNAL' },
    });
    expect(liveCount(post)).toBe(0);
  });

  test('and the queue is purged as well: the sweeper alone finishes the work', async () => {
    const post = await world.store();
    await world.handle(
      { queue: 'publish', body: noteOf(post), at: 0, receives: 0 },
      { at: 5, when: 'after' },
    );
    world.queue.length = 0;
    await world.settle(post);
    expect(liveCount(post)).toBe(1);
    expect(kinds()).toContain('post.published');
  });
});

describe('a commit without an answer', () => {
  const lost = (accepted: boolean): PlatformErrorInit & { accepted: boolean } => ({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'time-out',
    outcomeUnknown: true,
    accepted,
  });

  test('is asked about, and counts as published when the platform has it', async () => {
    world.platform.faults = [lost(true)];
    const post = await world.store();
    await world.alarm(post);
    await world.settle(post);
    expect(liveCount(post)).toBe(1);
    expect((await world.read(post)).destinations.x).toMatchObject({ status: 'published', attempts: 1 });
  });

  test('is sent again when the platform says that nothing is there', async () => {
    world.platform.faults = [lost(false)];
    const post = await world.store();
    await world.alarm(post);
    await world.settle(post);
    expect(liveCount(post)).toBe(1);
  });

  test('is a fault like any other when nothing came of it: told, waited for, and in the end given up', async () => {
    world.platform.faults = Array.from({ length: 20 }, () => lost(false));
    const post = await world.store();
    await world.alarm(post);
    await world.settle(post);
    expect(liveCount(post)).toBe(0);
    expect((await world.read(post)).destinations.x).toMatchObject({
      status: 'failed',
      attempts: 10,
      error: { code: 'PLATFORM_UNAVAILABLE' },
    });
    expect(kinds().filter(kind => kind === 'post.retry')).toHaveLength(9);
  });

  test('is asked about again when the question fails, whatever the platform says to it', async () => {
    world.platform.faults = [lost(true)];
    world.platform.askFaults = [
      ...Array.from({ length: 12 }, () => lost(false)),
      { kind: 'rejected', code: 'CONTENT_REJECTED', message: 'a strange question' },
    ];
    const post = await world.store();
    await world.alarm(post);
    await world.settle(post);
    expect(liveCount(post)).toBe(1);
    expect((await world.read(post)).destinations.x).toMatchObject({ status: 'published', attempts: 1 });
  });

  test('stays unknown when the account is lost while it is asked about, and its owner is told', async () => {
    await world.connect('bluesky');
    const dead: PlatformErrorInit = { kind: 'token_expired', code: 'TOKEN_EXPIRED', message: 'revoked' };
    world.platform.faults = [lost(true)];
    world.platform.askFaults = [dead, dead];
    const post = await world.store({}, ['telegram']);
    await world.alarm(post);
    await world.settle(post);
    expect((await world.read(post)).destinations.telegram).toMatchObject({
      status: 'failed',
      error: { code: 'DELIVERY_UNKNOWN' },
    });
    expect(kinds()).toEqual(['post.failed', 'post.token_expired']);
    expect(await world.connection('telegram')).toMatchObject({ needs_reconnect: true });
    await world.connect('telegram');
  });

  test('fails as DELIVERY_UNKNOWN where nobody can be asked', async () => {
    world.platform.faults = [lost(true)];
    world.platform.reconcile = 'cannot tell';
    const post = await world.store();
    await world.alarm(post);
    await world.settle(post);
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

  test('that passes is retried after a minute, with an event', async () => {
    world.platform.faults = [refused({})];
    const begun = world.clock.now;
    const post = await world.store();
    await world.alarm(post);
    await world.settle(post);
    expect(kinds()).toEqual(['post.retry', 'post.published']);
    expect(world.platform.live[0]!.at - begun).toBeGreaterThanOrEqual(59_000);
    expect((await world.read(post)).destinations.x).toMatchObject({ attempts: 2 });
  });

  test('with a reset time is retried then, however far away', async () => {
    world.platform.faults = [
      refused({ kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: 7_200_000 }),
    ];
    const begun = world.clock.now;
    const post = await world.store();
    await world.alarm(post);
    await world.settle(post);
    const late = world.platform.live[0]!.at - begun - 7_200_000;
    expect(late).toBeGreaterThanOrEqual(-1000);
    expect(late).toBeLessThan(61_000);
    expect(statusOf(await world.read(post))).toBe('published');
  });

  test('with a far reset sets an alarm of its own, ahead of it', async () => {
    world.platform.scheduler = true;
    world.platform.faults = [
      refused({ kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: 7_200_000 }),
    ];
    const post = await world.store();
    await world.alarm(post);
    await world.runDue();
    const at = world.clock.now + 7_200_000 - 90_000;
    expect(world.schedules).toEqual([
      expect.objectContaining({
        Name: `post-${post.post_id}-1-${Math.floor((at + 90_000) / 1000)}`,
        ScheduleExpression: `at(${new Date(at).toISOString().slice(0, 19)})`,
      }),
    ]);
  });

  test("that is final fails at once, in the platform's own words", async () => {
    world.platform.faults = [
      refused({ kind: 'rejected', code: 'CONTENT_REJECTED', message: 'Text is rude' }),
    ];
    const post = await world.store();
    await world.alarm(post);
    await world.settle(post);
    expect((await world.read(post)).destinations.x).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: { code: 'CONTENT_REJECTED', category: 'content', message: 'Text is rude', retryable: false },
    });
    expect(kinds()).toEqual(['post.failed']);
  });

  test('that stays ends after ten attempts', async () => {
    world.platform.faults = Array.from({ length: 20 }, () => refused({}));
    const post = await world.store();
    await world.alarm(post);
    await world.settle(post);
    expect((await world.read(post)).destinations.x).toMatchObject({ status: 'failed', attempts: 10 });
    expect(kinds().filter(kind => kind === 'post.retry')).toHaveLength(9);
    expect(new Set(world.events.map(({ id }) => id)).size).toBe(10);
  });

  test('counts towards the end only in a row: twelve scattered over a long upload do not stop it', async () => {
    world.platform.parts = 100;
    const media = { post_type: 'image' as const, media_urls: ['https://example.com/large.jpg'] };
    world.platform.uploadFaults = [5, 12, 25, 33, 45, 52, 65, 71, 85, 90, 95, 99];
    const post = await world.store(media);
    await world.alarm(post);
    await world.settle(post);
    expect((await world.read(post)).destinations.x).toMatchObject({ status: 'published', attempts: 13 });
    expect(kinds().filter(kind => kind === 'post.retry')).toHaveLength(12);

    world.platform.uploadFaults = Array.from({ length: 12 }, () => 50);
    const stuck = await world.store(media);
    await world.alarm(stuck);
    await world.settle(stuck);
    expect((await world.read(stuck)).destinations.x).toMatchObject({ status: 'failed', attempts: 10 });
    Object.assign(world.platform, { parts: 1, uploadFaults: [] });
  });

  test('of one platform leaves the others alone', async () => {
    world.platform.faults = [refused({ kind: 'rejected', code: 'CONTENT_REJECTED' })];
    const post = await world.store({}, ['x', 'bluesky']);
    await world.alarm(post);
    await world.settle(post);
    expect(statusOf(await world.read(post))).toBe('partially_published');
    expect(liveCount(post)).toBe(1);
  });
});

describe('a dead letter', () => {
  const dead = (post: Post) => ({ queue: 'publish', body: noteOf(post), at: 0, receives: 5 });

  test('costs a post that an outage held up nothing but time', async () => {
    const post = await world.store();
    world.clock.now += 1_800_000;
    await world.handle(dead(post));
    expect(await world.read(post)).toMatchObject({
      destinations: { x: { status: 'retrying', error: { code: 'INTERNAL' } } },
    });
    await world.settle(post);
    expect(statusOf(await world.read(post))).toBe('published');
    expect(kinds()).toEqual(['post.retry', 'post.published']);
  });

  test('fails a post that nobody ever gets hold of, and tells', async () => {
    const post = await world.store();
    await world.handle(dead(post));
    world.clock.now += 3_600_000;
    await world.handle(dead(post));
    expect(await world.read(post)).toMatchObject({
      destinations: { x: { status: 'failed', error: { code: 'INTERNAL' } } },
    });
    expect(kinds()).toEqual(['post.retry', 'post.failed']);
  });

  test('leaves a post alone that waits for its next try', async () => {
    world.platform.faults = [{ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'no' }];
    const post = await world.store();
    await world.alarm(post);
    await world.runDue();
    await world.handle(dead(post));
    expect(await world.read(post)).toMatchObject({
      destinations: { x: { status: 'retrying', failures: 1 } },
    });
  });
});

describe('an account that is gone', () => {
  test('publishes with the access token that it has, until that ends', async () => {
    const account = (await world.connection('bluesky'))!;
    const token_expires_at = world.clock.now + 20 * 60_000;
    await putConnection(world.table, { ...account, needs_reconnect: true, token_expires_at });
    const outcomes = [];
    for (const ahead of [0, 20 * 60_000]) {
      world.clock.now += ahead;
      const post = await world.store({}, ['bluesky']);
      await world.alarm(post);
      await world.settle(post);
      outcomes.push((await world.read(post)).destinations.bluesky!.status);
    }
    expect(outcomes).toEqual(['published', 'failed']);
    expect(kinds()).toEqual(['post.published', 'post.failed', 'post.token_expired']);
    await putConnection(world.table, account);
  });

  test('fails the destination and tells that it must be reconnected', async () => {
    world.platform.faults = [
      { kind: 'token_expired', code: 'TOKEN_EXPIRED', message: 'revoked' },
      { kind: 'token_expired', code: 'TOKEN_EXPIRED', message: 'revoked' },
    ];
    const post = await world.store({}, ['telegram']);
    await world.alarm(post);
    await world.settle(post);
    expect((await world.read(post)).destinations.telegram).toMatchObject({
      error: { code: 'TOKEN_EXPIRED' },
    });
    expect(kinds()).toEqual(['post.failed', 'post.token_expired']);

    const next = await world.store({}, ['telegram']);
    await world.alarm(next);
    await world.settle(next);
    expect((await world.read(next)).destinations.telegram).toMatchObject({
      error: { code: 'TOKEN_EXPIRED' },
    });
  });

  test('leaves nothing in doubt: a refused request is not live, whoever dies while credentials are renewed', async () => {
    const refused: PlatformErrorInit = { kind: 'token_expired', code: 'TOKEN_EXPIRED', message: 'revoked' };
    const diesAt = async (at: number): Promise<Post> => {
      await world.connect('telegram');
      world.platform.faults = [refused];
      const post = await world.store({}, ['telegram']);
      await world.alarm(post);
      await world.handle(world.queue.pop()!, { at, when: 'before' });
      return post;
    };
    let request = 1;
    do await diesAt((request += 1));
    while (world.platform.faults.length > 0);
    world.queue.length = 0;
    // The answer is noted, and then the renewal begins.
    const post = await diesAt(request + 2);
    expect((await world.read(post)).destinations.telegram).toMatchObject({
      status: 'publishing',
      intent: null,
    });
    world.platform.faults = [refused, refused];
    await world.settle(post);
    expect((await world.read(post)).destinations.telegram).toMatchObject({
      error: { code: 'TOKEN_EXPIRED' },
    });
  });
});

function noteOf({ workspace_id, post_id, version }: Post, platform = 'x'): string {
  return JSON.stringify({ workspace_id, post_id, version, platform });
}
