import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { ENV, publishQueueVariable } from '../aws/env.ts';
import { failure } from '../model/failure.ts';
import { newId } from '../model/id.ts';
import type { Post } from '../model/post.ts';
import { HOUR, MINUTE, SECOND, toIso } from '../time/instant.ts';
import { dispatch } from './dispatch.ts';
import { failed } from './transitions.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
});
afterAll(() => world.close());
beforeEach(() => {
  world.clock.now += 24 * HOUR;
  world.reset();
});

const WAIT = 2 * HOUR;

/** Stores a post that is due now on a platform that is rate limited for two hours. */
async function rateLimited(scheduler: boolean): Promise<{ post: Post; until: number }> {
  world.platform.scheduler = scheduler;
  world.platform.commitFaults = [
    { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', message: 'later', retryAfterMs: WAIT },
  ];
  const post = await world.store();
  await world.schedule(post);
  return { post, until: world.clock.now + WAIT };
}

/** Does what a sweep does. Returns how many destinations were overdue. */
async function sweep({ workspace_id, post_id }: Post): Promise<number> {
  const count = await dispatch(world.services, { workspace_id, post_id });
  await world.runDue();
  return count;
}

const wakeOf = async (post: Post) => (await world.read(post)).wake_at ?? null;
const scheduledTimes = () => world.schedules.map(({ ScheduleExpression }) => ScheduleExpression);
const at = (time: number) => `at(${toIso(time).slice(0, 19)})`;
const outcomeOf = async (post: Post) => (await world.read(post)).destinations['x'];

describe('a wait that no queue message can carry', () => {
  test('ends by its schedule, and no sweep is due before', async () => {
    const { post, until } = await rateLimited(true);
    await world.runDue();
    expect(await outcomeOf(post)).toMatchObject({ status: 'retrying', next_attempt_at: until });
    expect(scheduledTimes()).toEqual([at(until - 90 * SECOND)]);
    expect(await wakeOf(post)).toBe(until + MINUTE);

    world.clock.now = until - 80 * SECOND;
    expect(await sweep(post)).toBe(0);
    expect(world.queue.map(message => message.at)).toEqual([until]);
    world.clock.now = until;
    await world.runDue();
    expect([await outcomeOf(post), await wakeOf(post)]).toMatchObject([
      { status: 'published', published_at: until },
      null,
    ]);
  });

  test('ends on time by the sweeper when the schedule is refused', async () => {
    const { post, until } = await rateLimited(false);
    await world.runDue();
    expect(await wakeOf(post)).toBe(until - 150 * SECOND);
    world.clock.now = until - 100 * SECOND;
    expect(await sweep(post)).toBe(0);
    world.clock.now = until;
    await world.runDue();
    expect(await outcomeOf(post)).toMatchObject({ status: 'published', published_at: until });
  });

  test.each([true, false])(
    'gets its schedule with the next sweep when its worker was killed before (Scheduler accepts it: %s)',
    async accepted => {
      const { post, until } = await killedWaiting(accepted);
      expect(await wakeOf(post)).toBe(post.due_at + MINUTE);
      world.clock.now = post.due_at + MINUTE;
      expect(await sweep(post)).toBe(0);
      expect(scheduledTimes()).toEqual(accepted ? [at(until - 90 * SECOND)] : []);
      expect(await wakeOf(post)).toBe(accepted ? until + MINUTE : until - 150 * SECOND);
    },
  );

  /** Kills workers one call later each, until one was killed right after it stored the wait. */
  async function killedWaiting(scheduler: boolean): Promise<{ post: Post; until: number }> {
    for (let at = 1; at < 20; at += 1) {
      const found = await rateLimited(scheduler);
      const [message] = world.queue.splice(0);
      await world.handle(message!, { at, when: 'before' });
      world.queue.length = 0;
      if ((await outcomeOf(found.post))?.status === 'retrying') return found;
    }
    throw new Error('No worker stored the wait');
  }
});

describe('a sweep', () => {
  const overdueAfter = async (post: Post, ms: number) => {
    world.clock.now = post.due_at + ms;
    return dispatch(world.services, post);
  };

  test('finds a post overdue a minute after its time', async () => {
    const post = await world.store();
    expect([await overdueAfter(post, MINUTE - 1), await overdueAfter(post, MINUTE)]).toEqual([0, 1]);
    await world.runUntilSettled(post);
    expect(await overdueAfter(post, HOUR)).toBe(0);
  });

  test('does not count a post that waits for its next attempt', async () => {
    world.platform.commitFaults = [{ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'no' }];
    const post = await world.store();
    await world.schedule(post);
    world.clock.now += 30 * SECOND;
    await world.runDue();
    expect(await outcomeOf(post)).toMatchObject({ status: 'retrying' });
    expect([await overdueAfter(post, MINUTE), await overdueAfter(post, 3 * MINUTE)]).toEqual([0, 1]);
  });

  test('finds a dead worker overdue, and an active one not', async () => {
    const post = await world.store();
    await world.schedule(post);
    const [message] = world.queue.splice(0);
    await world.handle(message!, { at: 6, when: 'after' });
    const held = await outcomeOf(post);
    if (held?.status !== 'publishing') throw new Error(`Unexpected status ${held?.status}`);
    const lease = held.lease_until + (held.intent ? 30 * SECOND : 0) - post.due_at;
    expect([await overdueAfter(post, MINUTE), await overdueAfter(post, lease + MINUTE)]).toEqual([0, 1]);
  });

  test('finds nothing for a deleted post', async () => {
    const { workspace_id } = await world.store();
    expect(await dispatch(world.services, { workspace_id, post_id: newId() })).toBe(0);
  });
});

describe('a platform that the deployment no longer has', () => {
  /** Returns services without X, whose queue no longer exists. */
  function withoutX() {
    const settings: Record<string, string> = { [ENV.disabledPlatforms]: 'x,tiktok' };
    const setting = (name: string) => {
      if (name === publishQueueVariable('x')) throw new Error(`${name} is not set`);
      return settings[name] ?? world.services.setting(name);
    };
    return { ...world.services, setting };
  }

  test('fails its post, with its event', async () => {
    const post = await world.store();
    await dispatch(withoutX(), post);
    expect(await outcomeOf(post)).toMatchObject({
      status: 'failed',
      error: { code: 'PLATFORM_UNAVAILABLE', message: 'X is not enabled in this deployment of the service' },
      outbox: [],
    });
    expect(world.events.map(({ event }) => event)).toEqual(['post.failed']);
    expect(await wakeOf(post)).toBeNull();
  });

  test('fails a post that left something at the platform, though nothing discards it', async () => {
    world.platform.commitFaults = [{ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'no' }];
    const post = await world.store({ post_type: 'image', media_urls: ['https://example.com/1.jpg'] });
    await world.schedule(post);
    await world.runDue();
    expect(await outcomeOf(post)).toMatchObject({ status: 'retrying', checkpoint: { step: 'create' } });
    await dispatch(withoutX(), post);
    expect(await outcomeOf(post)).toMatchObject({ status: 'failed', abandoned: null });
    expect(await wakeOf(post)).toBeNull();
  });

  test('settles a post that had failed before', async () => {
    const { destinations } = await world.store();
    const error = failure('CONTENT_REJECTED', 'no');
    const ended = failed(destinations.x!, error, world.clock.now, false, { step: 'create', state: {} });
    const post = await world.store({ destinations: { x: ended } });
    await dispatch(withoutX(), post);
    expect(await outcomeOf(post)).toMatchObject({ status: 'failed', error, abandoned: null });
    expect(world.events.map(({ event }) => event)).toEqual(['post.failed']);
    expect(await wakeOf(post)).toBeNull();
  });
});
