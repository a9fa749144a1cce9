import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { newId } from '../model/id.ts';
import { statusOf, type Post } from '../model/post.ts';
import { RULES } from '../platforms/registry.ts';
import { listCapReservations, putCapReservation } from '../store/cap-reservations.ts';
import { DAY, HOUR, MINUTE } from '../time/instant.ts';
import { releaseAll, reserveAll, type CapReservation } from './reserve.ts';

const CAP = RULES.x.daily_cap;
const T = Date.UTC(2026, 11, 1, 10);

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
});
afterAll(() => world.close());

let accounts = 0;
const newAccount = () => `account-${++accounts}`;
const claim = (account_id: string, at = T): CapReservation => ({
  account_id,
  platform: 'x',
  post_id: newId(),
  at,
});
const caps = () => ({ table: world.table, now: () => T });
const fill = (account_id: string, count: number, at = T) =>
  Promise.all(
    Array.from({ length: count }, () =>
      putCapReservation(world.table, { ...claim(account_id, at), taken_at: T - HOUR }),
    ),
  );
const placesOf = (account: string, until = T + 9 * DAY) =>
  listCapReservations(world.table, account, 0, until);

describe('a place under the daily cap', () => {
  test('is given up to the cap, and refused with what is used and when it frees', async () => {
    const account = newAccount();
    await fill(account, CAP - 1, T - 5 * HOUR);
    expect(await reserveAll(caps(), [claim(account)])).toEqual([]);
    expect(await reserveAll({ ...caps(), now: () => T + HOUR }, [claim(account)])).toEqual([
      { platform: 'x', cap: CAP, used: CAP, frees_at: T + 19 * HOUR },
    ]);
    expect(await placesOf(account)).toHaveLength(CAP);
  });

  test('counts the 24 hours that end when the post goes live, whatever comes after', async () => {
    const account = newAccount();
    await fill(account, CAP, T);
    const when = async (at: number) => (await reserveAll(caps(), [claim(account, at)])).length === 0;
    expect(await when(T + DAY - MINUTE)).toBe(false);
    expect(await when(T + DAY)).toBe(true);
    expect(await when(T - HOUR)).toBe(true);
  });

  test('is given back', async () => {
    const account = newAccount();
    await fill(account, CAP - 1);
    const last = claim(account);
    expect(await reserveAll(caps(), [last])).toEqual([]);
    expect(await reserveAll({ ...caps(), now: () => T + HOUR }, [claim(account)])).toHaveLength(1);
    await releaseAll(world.table, [last]);
    expect(await reserveAll(caps(), [claim(account)])).toEqual([]);
  });

  test('is taken on all accounts of a post or on none', async () => {
    const [free, full] = [newAccount(), newAccount()];
    await fill(full, CAP);
    const post_id = newId();
    const both = [free, full].map(account_id => ({ account_id, platform: 'x' as const, post_id, at: T }));
    expect(await reserveAll(caps(), both)).toHaveLength(1);
    expect(await placesOf(free)).toHaveLength(0);
  });

  test.each([0, CAP - 1])(
    'goes to as many of 100 posts at the same moment as there are, with %i taken before',
    async taken => {
      const account = newAccount();
      await fill(account, taken);
      const refused = await Promise.all(
        Array.from({ length: 100 }, (_, index) => reserveAll(caps(), [claim(account, T + (index % 7))])),
      );
      const granted = refused.filter(violations => violations.length === 0).length;
      expect(granted).toBe(CAP - taken);
      expect(await placesOf(account)).toHaveLength(CAP);
    },
  );

  test('goes to those who came first, when all see each other and look again late', async () => {
    const account = newAccount();
    await fill(account, CAP - 3);
    const posts = 8;
    const all = Promise.withResolvers<undefined>();
    let written = 0;
    const send = async (command: { constructor: { name: string } }) => {
      if (command.constructor.name === 'QueryCommand') await all.promise;
      const answer = await world.table.client.send(command as never);
      if (command.constructor.name === 'PutCommand' && ++written === posts) all.resolve(undefined);
      return answer;
    };
    const table = { ...world.table, client: { send } } as unknown as typeof world.table;
    // Six seconds go by between the last place that is taken and the first look.
    const services = { table, now: () => (written < posts ? T : T + 6000) };
    const refused = await Promise.all(
      Array.from({ length: posts }, () => reserveAll(services, [claim(account)])),
    );
    expect(refused.filter(violations => violations.length === 0)).toHaveLength(3);
    expect(await placesOf(account)).toHaveLength(CAP);
  });

  test('goes to who came first, however late the others step back', async () => {
    const account = newAccount();
    await fill(account, CAP - 1);
    const slow = claim(account);
    await putCapReservation(world.table, { ...slow, taken_at: T + 1 });
    let looks = 0;
    const sleep = async () => {
      looks += 1;
      if (looks === 30) await releaseAll(world.table, [slow]);
    };
    expect(await reserveAll({ ...caps(), sleep }, [claim(account)])).toEqual([]);
    expect(looks).toBe(30);
    expect(await placesOf(account)).toHaveLength(CAP);
  });
});

describe('at delivery', () => {
  const kinds = () => world.events.map(({ event }) => event);
  const accountOf = (post: Post) => post.destinations.x!.social_account_id;

  test('a post beyond the cap waits, tells so, and is published when the window frees', async () => {
    const post = await world.store();
    await fill(accountOf(post), CAP, world.clock.now - 2 * HOUR);
    world.events.length = 0;
    await world.alarm(post);
    await world.runDue();
    const waiting = (await world.read(post)).destinations.x;
    const frees = post.due_at + 22 * HOUR;
    expect(waiting).toMatchObject({ status: 'retrying', error: { code: 'DAILY_CAP' }, failures: 0 });
    expect(waiting).toHaveProperty('next_attempt_at', frees + 1000);
    expect(kinds()).toEqual(['post.retry']);

    await world.settle(post);
    expect(statusOf(await world.read(post))).toBe('published');
    expect(world.platform.live.at(-1)!.at).toBeGreaterThanOrEqual(frees);
    expect(kinds()).toEqual(['post.retry', 'post.published']);
  });

  test('of posts that are together beyond the cap exactly the cap goes live, the others a day later', async () => {
    const account_id = newAccount();
    const due = world.clock.now;
    await fill(account_id, CAP - 2, due - HOUR);
    const posts: Post[] = [];
    for (let index = 0; index < 4; index += 1) {
      const made = await world.store({}, ['x']);
      const post = { ...made, post_id: newId(due + index) };
      post.destinations.x = { ...post.destinations.x!, social_account_id: account_id };
      posts.push(await world.store(post));
      await putCapReservation(world.table, { account_id, post_id: post.post_id, at: due, taken_at: due });
    }
    for (const post of posts) await world.alarm(post);
    await world.runDue();
    const statuses = await Promise.all(
      posts.map(async post => (await world.read(post)).destinations.x!.status),
    );
    expect(statuses).toEqual(['published', 'published', 'retrying', 'retrying']);
    for (const post of posts) await world.settle(post);
    const all = await Promise.all(posts.map(async post => statusOf(await world.read(post))));
    expect(all).toEqual(['published', 'published', 'published', 'published']);
  });

  test('a late post takes its place at the time when it really goes live', async () => {
    const post = await world.store();
    await putCapReservation(world.table, {
      account_id: accountOf(post),
      post_id: post.post_id,
      at: post.due_at,
      taken_at: 0,
    });
    world.clock.now += 3 * HOUR;
    await world.alarm(post);
    await world.runDue();
    const places = await placesOf(accountOf(post), world.clock.now + DAY);
    expect(places.map(({ at }) => at)).toEqual([world.clock.now]);
  });

  test('a failed post gives its place back', async () => {
    const post = await world.store();
    world.platform.faults = [{ kind: 'rejected', code: 'CONTENT_REJECTED', message: 'no' }];
    await world.alarm(post);
    await world.settle(post);
    expect(statusOf(await world.read(post))).toBe('failed');
    expect(await placesOf(accountOf(post), world.clock.now + DAY)).toEqual([]);
  });

  test('a post that may be live keeps its place', async () => {
    world.platform.reconcile = 'cannot tell';
    world.platform.faults = [
      {
        kind: 'transient',
        code: 'PLATFORM_UNAVAILABLE',
        message: 'cut',
        outcomeUnknown: true,
        accepted: true,
      },
    ];
    const post = await world.store();
    await world.alarm(post);
    await world.settle(post);
    expect((await world.read(post)).destinations.x).toMatchObject({ error: { code: 'DELIVERY_UNKNOWN' } });
    expect(await placesOf(accountOf(post), world.clock.now + DAY)).toHaveLength(1);
    world.platform.reconcile = 'by key';
  });

  test('a limit that the platform announced is remembered with the account while it lasts', async () => {
    world.platform.faults = [
      {
        kind: 'rate_limited',
        code: 'PLATFORM_RATE_LIMIT',
        message: 'wait',
        retryAfterMs: 2 * HOUR,
        limit: 25,
      },
    ];
    const post = await world.store();
    const now = world.clock.now;
    await world.alarm(post);
    await world.runDue();
    expect((await world.connection('x'))!.announced_limit).toEqual({ limit: 25, resets_at: now + 2 * HOUR });
    await world.settle(post);
    expect(statusOf(await world.read(post))).toBe('published');
  });
});
