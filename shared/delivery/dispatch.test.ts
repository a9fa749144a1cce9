import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { newId } from '../model/id.ts';
import type { Post } from '../model/post.ts';
import { HOUR, MINUTE, SECOND, toIso } from '../time/instant.ts';
import { dispatch } from './dispatch.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
});
afterAll(() => world.close());
beforeEach(() => {
  world.clock.now += 24 * HOUR;
  world.schedules.length = 0;
  world.queue.length = 0;
});

const WAIT = 2 * HOUR;

/** A post that is due now, at a platform that is to be left alone for two hours. */
async function blocked(scheduler: boolean): Promise<{ post: Post; until: number }> {
  world.platform.scheduler = scheduler;
  world.platform.faults = [
    { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', message: 'later', retryAfterMs: WAIT },
  ];
  const post = await world.store();
  await world.alarm(post);
  return { post, until: world.clock.now + WAIT };
}

/** What the sweeper does at its look: gives how much it found overdue. */
async function sweep({ workspace_id, post_id }: Post): Promise<number> {
  const late = await dispatch(world.services, { workspace_id, post_id });
  await world.runDue();
  return late;
}

const wakeOf = async (post: Post) => (await world.read(post)).wake_at ?? null;
const alarms = () => world.schedules.map(({ ScheduleExpression }) => ScheduleExpression);
const at = (time: number) => `at(${toIso(time).slice(0, 19)})`;
const outcomeOf = async (post: Post) => (await world.read(post)).destinations['x'];

describe('a wait that no queue message can carry', () => {
  test('ends by its schedule; until then nobody looks at the post', async () => {
    const { post, until } = await blocked(true);
    await world.runDue();
    expect(await outcomeOf(post)).toMatchObject({ status: 'retrying', next_attempt_at: until });
    expect(alarms()).toEqual([at(until - 90 * SECOND)]);
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

  test('ends on time by the sweeper where Scheduler refuses', async () => {
    const { post, until } = await blocked(false);
    await world.runDue();
    expect(await wakeOf(post)).toBe(until - 150 * SECOND);
    world.clock.now = until - 100 * SECOND;
    expect(await sweep(post)).toBe(0);
    world.clock.now = until;
    await world.runDue();
    expect(await outcomeOf(post)).toMatchObject({ status: 'published', published_at: until });
  });

  test.each([true, false])(
    'gets its alarm with the next look, when its worker died before and its note is lost (Scheduler takes it: %s)',
    async takes => {
      const { post, until } = await diesWaiting(takes);
      expect(await wakeOf(post)).toBe(post.due_at + MINUTE);
      world.clock.now = post.due_at + MINUTE;
      expect(await sweep(post)).toBe(0);
      expect(alarms()).toEqual(takes ? [at(until - 90 * SECOND)] : []);
      expect(await wakeOf(post)).toBe(takes ? until + MINUTE : until - 150 * SECOND);
    },
  );

  /** Posts are worked on by processes that die a call later each, until one has stored the wait, and no more. */
  async function diesWaiting(scheduler: boolean): Promise<{ post: Post; until: number }> {
    for (let at = 1; at < 20; at += 1) {
      const found = await blocked(scheduler);
      const [message] = world.queue.splice(0);
      await world.handle(message!, { at, when: 'before' });
      world.queue.length = 0;
      if ((await outcomeOf(found.post))?.status === 'retrying') return found;
    }
    throw new Error('No process came so far');
  }
});

describe('a look', () => {
  const lateAfter = async (post: Post, ms: number) => {
    world.clock.now = post.due_at + ms;
    return dispatch(world.services, post);
  };

  test('finds a post overdue that nobody took up a minute after its time', async () => {
    const post = await world.store();
    expect([await lateAfter(post, MINUTE - 1), await lateAfter(post, MINUTE)]).toEqual([0, 1]);
    await world.settle(post);
    expect(await lateAfter(post, HOUR)).toBe(0);
  });

  test('finds a post that waits for its next try as it should be', async () => {
    world.platform.faults = [{ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'no' }];
    const post = await world.store();
    await world.alarm(post);
    world.clock.now += 30 * SECOND;
    await world.runDue();
    expect(await outcomeOf(post)).toMatchObject({ status: 'retrying' });
    expect([await lateAfter(post, MINUTE), await lateAfter(post, 3 * MINUTE)]).toEqual([0, 1]);
  });

  test('finds a dead worker, and none that is at work', async () => {
    const post = await world.store();
    await world.alarm(post);
    const [message] = world.queue.splice(0);
    await world.handle(message!, { at: 4, when: 'before' });
    const held = await outcomeOf(post);
    if (held?.status !== 'publishing') throw new Error(`It is ${held?.status}`);
    const lease = held.lease_until + (held.intent ? 30 * SECOND : 0) - post.due_at;
    expect([await lateAfter(post, MINUTE), await lateAfter(post, lease + MINUTE)]).toEqual([0, 1]);
  });

  test('at a post that is gone finds nothing', async () => {
    const { workspace_id } = await world.store();
    expect(await dispatch(world.services, { workspace_id, post_id: newId() })).toBe(0);
  });
});
