import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { deliveryWorld, publishMessage, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { statusOf, type Post } from '../model/post.ts';
import { BASICS } from '../platforms/registry/basics.ts';
import { DAY, HOUR, MINUTE, SECOND, toIso } from '../time/instant.ts';
import { deletePostSchedules } from './schedule.ts';
import { MAX_HOPS, processingDelayMs, processingWaitUntil } from './timing.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
  await world.connect('bluesky');
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const IMAGE: Partial<Post> = { post_type: 'image', media_urls: ['https://example.com/1.jpg'] };
const destinationOf = async (post: Post) => (await world.read(post)).destinations.x!;
const hopsOf = ({ body }: { body: string }) => (JSON.parse(body) as { hops: number }).hops;

describe('a wait for a platform that is processing', () => {
  test.each([
    [0, [2, 3, 5, 7, 11, 16, 23, 30, 30, 30]],
    [500, [2, 3, 5, 7, 11, 16, 23, 30, 30, 30]],
    [5001, [6, 6, 6, 7, 11, 16, 23, 30, 30, 30]],
    [45_000, [45, 45, 45, 45, 45, 45, 45, 45, 45, 45]],
  ])('starts at the hint of %i ms, at least 2 s, and grows to 30 s', (hintMs, seconds) => {
    expect(seconds.map((_, waits) => processingDelayMs(hintMs, waits) / SECOND)).toEqual(seconds);
  });

  test.each([
    [1000, 61_000],
    [20_000, 20_000],
    [61_000, 61_000],
    [3000, 3000],
    [2999, 61_000],
  ])('of a minute at 1 s ends at %s when the post is due then', (dueAt, end) => {
    expect(processingWaitUntil(1000, dueAt, MINUTE, 0)).toBe(end);
  });

  test.each([0, 500, 1000, 2000, 5000])(
    'of a minute, with a hint of %i ms, takes at most 12 messages and is noticed within half a minute',
    async hintMs => {
      world.platform.processing = { ms: MINUTE, hintMs };
      const post = await world.store(IMAGE);
      await world.schedule(post);
      await world.runUntilSettled(post);
      expect(statusOf(await world.read(post))).toBe('published');
      expect(world.sent.publish).toBeLessThanOrEqual(12);
      const late = world.platform.live[0]!.at - post.due_at - MINUTE;
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThanOrEqual(30 * SECOND);
    },
  );

  test('of an hour takes one message for each reading, however often the sweeper comes', async () => {
    world.platform.processing = { ms: HOUR, hintMs: 30 * SECOND };
    const post = await world.store(IMAGE);
    await world.schedule(post);
    await world.runUntilSettled(post, 1000);
    expect(statusOf(await world.read(post))).toBe('published');
    // The sweeper adds one a minute, each of which ends without another one.
    expect(world.sent.publish).toBeLessThan(world.platform.polls + 70);
  });

  test('ends after a day', async () => {
    world.platform.processing = { ms: 3 * DAY, hintMs: 20 * MINUTE };
    const post = await world.store(IMAGE);
    await world.schedule(post);
    await world.runUntilSettled(post, 1000);
    expect(await destinationOf(post)).toMatchObject({
      status: 'failed',
      error: { code: 'PLATFORM_UNAVAILABLE', message: expect.stringContaining('within a day') },
    });
    expect(world.platform.polls).toBeLessThanOrEqual(3 * 24 + 1);
  });

  test('starts short again after a step that succeeded', async () => {
    Object.assign(world.platform, { processing: { ms: 40 * SECOND, hintMs: 0 } });
    const post = await world.store(IMAGE);
    await world.schedule(post);
    await world.runDue();
    expect(await destinationOf(post)).toMatchObject({ status: 'processing', waits: 1 });
    await world.runUntilSettled(post);
    expect(await destinationOf(post)).toMatchObject({ status: 'published', attempts: 1 });
  });

  test('does not make a scheduled post late', async () => {
    world.platform.processing = { ms: 80 * SECOND, hintMs: 0 };
    const due_at = world.clock.now + 10 * MINUTE;
    const post = await world.store({ ...IMAGE, scheduling: 'scheduled', due_at });
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect(await destinationOf(post)).toMatchObject({ status: 'published', published_at: due_at });
  });
});

describe('a chain of messages', () => {
  test('counts its messages', async () => {
    world.platform.processing = { ms: MINUTE, hintMs: 0 };
    const post = await world.store(IMAGE);
    await world.handle(publishMessage(post));
    expect(world.queue.map(hopsOf)).toEqual([1]);
    world.clock.now += 2 * SECOND;
    await world.runDue();
    expect(world.queue.map(hopsOf)).toEqual([2]);
  });

  const atLimit = ({ workspace_id, post_id, version }: Post) =>
    publishMessage({ workspace_id, post_id, version }, 'x', {
      body: JSON.stringify({ workspace_id, post_id, version, platform: 'x', hops: MAX_HOPS }),
    });

  test('without an end fails the destination', async () => {
    world.platform.processing = { ms: 9 * DAY, hintMs: 0 };
    const post = await world.store(IMAGE);
    await world.handle(atLimit(post));
    await world.runUntilSettled(post);
    expect(await destinationOf(post)).toMatchObject({
      status: 'failed',
      error: { code: 'INTERNAL', message: 'The delivery did not finish within 5000 queue messages' },
    });
    expect(world.events.map(({ event }) => event)).toEqual(['post.failed']);
    expect(world.platform.staged.size).toBe(0);
  });

  test('without an end fails as unknown a commit that is in doubt', async () => {
    world.platform.commitFaults = [
      { kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'lost', outcomeUnknown: true },
    ];
    const post = await world.store();
    await world.handle(atLimit(post));
    expect(await destinationOf(post)).toMatchObject({
      status: 'failed',
      error: { code: 'DELIVERY_UNKNOWN' },
    });
  });

  test('without an end fails the follow-ups of a live post', async () => {
    world.platform.followUps = [{ name: 'review', waits: 99 }];
    const post = await world.store();
    await world.handle(atLimit(post));
    await world.runUntilSettled(post);
    expect(await destinationOf(post)).toMatchObject({
      status: 'published',
      follow_ups: [{ name: 'review', status: 'failed', error: { code: 'INTERNAL' } }],
    });
  });

  test('lasts a day at the longest waits', () => {
    expect(MAX_HOPS * 30 * SECOND).toBeGreaterThan(DAY);
  });
});

describe('a message that arrives before the post is due', () => {
  const scheduled = (change: Partial<Post> = {}) =>
    world.store({ scheduling: 'scheduled', due_at: world.clock.now + HOUR + 400, ...change });

  test.each([1, 400, 1000])(
    'by %i ms is handled, and the post is live exactly when it is due',
    async early => {
      const post = await scheduled();
      world.clock.now = post.due_at - early;
      await world.handle(publishMessage(post));
      expect(world.platform.live.map(({ at }) => at)).toEqual([post.due_at]);
      expect(world.queue).toEqual([]);
    },
  );

  test.each([1001, 5000])('by %i ms returns to the queue', async early => {
    const post = await scheduled();
    world.clock.now = post.due_at - early;
    await world.handle(publishMessage(post));
    expect(world.platform.live).toEqual([]);
    const [message] = world.queue;
    expect(message!.at).toBeLessThanOrEqual(post.due_at);
    expect(message!.at).toBeGreaterThan(post.due_at - SECOND);
  });
});

describe('a step', () => {
  test.each([
    [BASICS.x.worker.request_s * SECOND, 1],
    [BASICS.x.worker.request_s * SECOND - 1, 0],
  ])('with %i ms left of the invocation starts %i times', async (remainingMs, uploads) => {
    world.invocation.remainingMs = remainingMs;
    const post = await world.store(IMAGE);
    await world.handle(publishMessage(post));
    expect(world.platform.uploads).toBe(uploads);
  });

  test('that does not start is continued by a message at once', async () => {
    world.invocation.remainingMs = 1000;
    const post = await world.store(IMAGE);
    await world.handle(publishMessage(post));
    expect(world.queue.map(({ at }) => at)).toEqual([world.clock.now]);
    expect(await destinationOf(post)).toMatchObject({ status: 'processing', attempts: 1, failures: 0 });
  });
});

describe('a commit whose response was lost', () => {
  const lost = {
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'lost',
    outcomeUnknown: true,
  } as const;

  test('is reconciled when the reads of the platform have caught up', async () => {
    world.platform.commitFaults = [{ ...lost, accepted: true }];
    const post = await world.store();
    await world.handle(publishMessage(post));
    const next_attempt_at = world.clock.now + BASICS.x.settle_ms;
    expect(await destinationOf(post)).toMatchObject({ status: 'processing', next_attempt_at });
    expect(world.queue.map(({ at }) => at)).toEqual([next_attempt_at]);
  });

  test('is reconciled again after the wait that the platform asks for, without a failure', async () => {
    Object.assign(world.platform, { commitFaults: [{ ...lost, accepted: true }], reconcileWaits: 2 });
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect(await destinationOf(post)).toMatchObject({ status: 'published', attempts: 1, failures: 0 });
    expect(world.platform.live).toHaveLength(1);
    expect(world.clock.now - post.due_at).toBeGreaterThanOrEqual(BASICS.x.settle_ms + 2 * MINUTE);
  });

  test('fails as unknown when the platform asks to wait for more than a day', async () => {
    const waits = { reconcileWaits: 99, reconcileWaitMs: HOUR };
    Object.assign(world.platform, { commitFaults: [{ ...lost, accepted: true }], ...waits });
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect(await destinationOf(post)).toMatchObject({
      status: 'failed',
      error: { code: 'DELIVERY_UNKNOWN' },
    });
    expect(world.platform.reconcileWaits).toBe(99 - 24);
  });
});

describe('a platform that asks for more time ahead', () => {
  const LEAD = 2 * HOUR;
  const seen: (number | null)[] = [];
  beforeEach(() => {
    seen.length = 0;
    BASICS.bluesky.prepare_ahead_ms = (_, bytes) => {
      seen.push(bytes);
      return LEAD;
    };
  });
  afterEach(() => {
    delete BASICS.bluesky.prepare_ahead_ms;
  });

  const at = (time: number) => `at(${toIso(time).slice(0, 19)})`;
  const scheduledTimes = () => world.schedules.map(({ ScheduleExpression }) => ScheduleExpression);
  const store = (platforms: ('x' | 'bluesky')[]) =>
    world.store(
      { ...IMAGE, scheduling: 'scheduled', due_at: world.clock.now + 6 * HOUR, media_bytes: 5 },
      platforms,
    );

  test('is prepared that long ahead, the others 90 seconds, and all are live on time', async () => {
    world.platform.scheduler = true;
    const post = await store(['x', 'bluesky']);
    await world.schedule(post);
    expect(scheduledTimes()).toEqual([at(post.due_at - LEAD)]);
    expect(new Set(seen)).toEqual(new Set([5]));

    for (const [fires, uploads] of [
      [post.due_at - LEAD, 1],
      [post.due_at - 90 * SECOND, 2],
    ] as const) {
      world.clock.now = fires;
      world.queue.push(dispatchMessage(post));
      await world.runDue();
      expect(world.platform.uploads).toBe(uploads);
    }
    expect(scheduledTimes()).toContain(at(post.due_at - 90 * SECOND));
    expect(world.platform.live).toEqual([]);
    await world.runUntilSettled(post);
    expect(world.platform.live.map(live => live.at)).toEqual([post.due_at, post.due_at]);
  });

  test('is prepared in time by sweeps where schedules are refused', async () => {
    const post = await store(['x', 'bluesky']);
    await world.schedule(post);
    const begun = world.clock.now;
    for (let now = begun; now < post.due_at; now += MINUTE) {
      world.clock.now = now;
      const { wake_at = Infinity } = await world.read(post);
      if (wake_at <= now) world.queue.push(dispatchMessage(post));
      await world.runDue();
      if (now > post.due_at - LEAD + MINUTE) expect(world.platform.uploads).toBeGreaterThan(0);
    }
    world.clock.now = post.due_at;
    await world.runUntilSettled(post);
    expect(world.platform.live.map(live => live.at)).toEqual([post.due_at, post.due_at]);
  });

  test('is found by the sweeper when its schedule never fires', async () => {
    const post = await store(['bluesky']);
    expect(post.wake_at).toBe(post.due_at - LEAD + 90 * SECOND + MINUTE);
  });

  test('has all its schedules deleted with the post', async () => {
    const names: string[] = [];
    const send = ({ input }: { input: { Name: string } }) => Promise.resolve(names.push(input.Name));
    const scheduler = { send } as unknown as typeof world.services.scheduler;
    const post = await store(['x', 'bluesky']);
    await deletePostSchedules({ ...world.services, scheduler }, post);
    const xReady = Math.floor((post.due_at - 90 * SECOND) / SECOND);
    expect(names).toEqual([`post-${post.post_id}-1`, `post-${post.post_id}-1-${xReady}`]);
  });

  function dispatchMessage({ workspace_id, post_id }: Post) {
    const body = JSON.stringify({ workspace_id, post_id });
    return { queue: 'dispatch', body, at: world.clock.now, receives: 0 };
  }
});
