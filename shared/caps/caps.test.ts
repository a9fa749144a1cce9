import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { deliveryWorld, publishMessage, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { newId } from '../model/id.ts';
import { statusOf, type Post } from '../model/post.ts';
import { RULES } from '../platforms/registry/rules.ts';
import { listCapReservations, putCapReservation } from '../store/cap-reservations.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../time/instant.ts';
import { releaseAll, reserveAll, type CapReservation } from './reserve.ts';

const CAP = RULES.x.daily_cap;
const T = Date.UTC(2026, 11, 1, 10);

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
});
afterAll(() => world.close());
beforeEach(() => world.reset());

let accounts = 0;
const newAccount = () => `account-${++accounts}`;
const request = (account_id: string, at = T): CapReservation => ({
  account_id,
  platform: 'x',
  post_id: newId(),
  at,
});
const caps = () => ({ table: world.table, now: () => T });
const fill = (account_id: string, count: number, at = T) =>
  Promise.all(
    Array.from({ length: count }, () =>
      putCapReservation(world.table, { ...request(account_id, at), taken_at: T - HOUR }),
    ),
  );
const reservationsIn = (account: string, until = T + 9 * DAY) =>
  listCapReservations(world.table, account, 0, until);

describe('a reservation under the daily cap', () => {
  test('is made up to the cap, then refused with the count and the time when the window frees', async () => {
    const account = newAccount();
    await fill(account, CAP - 1, T - 5 * HOUR);
    expect(await reserveAll(caps(), [request(account)])).toEqual([]);
    expect(await reserveAll({ ...caps(), now: () => T + HOUR }, [request(account)])).toEqual([
      { platform: 'x', cap: CAP, used: CAP, frees_at: T + 19 * HOUR },
    ]);
    expect(await reservationsIn(account)).toHaveLength(CAP);
  });

  test('counts the 24 hours that end when the post goes live, not later posts', async () => {
    const account = newAccount();
    await fill(account, CAP, T);
    const when = async (at: number) => (await reserveAll(caps(), [request(account, at)])).length === 0;
    expect(await when(T + DAY - MINUTE)).toBe(false);
    expect(await when(T + DAY)).toBe(true);
    expect(await when(T - HOUR)).toBe(true);
  });

  test.each([
    [MINUTE, 1],
    [MINUTE + 1, 0],
  ])(
    'counts reservations up to a minute later, whatever the clocks say (%i ms: %i)',
    async (later, refused) => {
      const account = newAccount();
      await fill(account, CAP, T + later);
      const settled = { ...caps(), now: () => T + HOUR };
      expect(await reserveAll(settled, [request(account)])).toHaveLength(refused);
    },
  );

  test.each([
    [4 * SECOND, 12],
    [5 * SECOND, 1],
  ])('is refused by reservations %i ms old after %i tries', async (age, tries) => {
    const account = newAccount();
    await fill(account, CAP);
    let pauses = 0;
    const sleep = () => Promise.resolve(void (pauses += 1));
    const services = { ...caps(), now: () => T - HOUR + age, sleep };
    expect(await reserveAll(services, [request(account)])).toHaveLength(1);
    expect(pauses).toBe(tries - 1);
  });

  test('is given up by the earliest request after sixty tries', async () => {
    const account = newAccount();
    await fill(account, CAP - 1);
    await putCapReservation(world.table, { ...request(account), taken_at: T + 1 });
    let pauses = 0;
    const sleep = () => Promise.resolve(void (pauses += 1));
    expect(await reserveAll({ ...caps(), sleep }, [request(account)])).toHaveLength(1);
    expect(pauses).toBeGreaterThanOrEqual(59);
    expect(await reservationsIn(account)).toHaveLength(CAP);
  });

  test('can be released', async () => {
    const account = newAccount();
    await fill(account, CAP - 1);
    const last = request(account);
    expect(await reserveAll(caps(), [last])).toEqual([]);
    expect(await reserveAll({ ...caps(), now: () => T + HOUR }, [request(account)])).toHaveLength(1);
    await releaseAll(world.table, [last]);
    expect(await reserveAll(caps(), [request(account)])).toEqual([]);
  });

  test('is made for all accounts of a post or for none', async () => {
    const [free, full] = [newAccount(), newAccount()];
    await fill(full, CAP);
    const post_id = newId();
    const both = [free, full].map(account_id => ({ account_id, platform: 'x' as const, post_id, at: T }));
    expect(await reserveAll(caps(), both)).toHaveLength(1);
    expect(await reservationsIn(free)).toHaveLength(0);
  });

  test.each([0, CAP - 1])(
    'is made by exactly as many of 100 concurrent posts as the cap allows after %i earlier ones',
    async taken => {
      const account = newAccount();
      await fill(account, taken);
      const refused = await Promise.all(
        Array.from({ length: 100 }, (_, index) => reserveAll(caps(), [request(account, T + (index % 7))])),
      );
      const granted = refused.filter(violations => violations.length === 0).length;
      expect(granted).toBe(CAP - taken);
      expect(await reservationsIn(account)).toHaveLength(CAP);
    },
  );

  test('goes to the earliest requests when all see each other and count again late', async () => {
    const account = newAccount();
    await fill(account, CAP - 3);
    const posts = 8;
    const allWritten = Promise.withResolvers<undefined>();
    let written = 0;
    const send = async (command: { constructor: { name: string } }) => {
      if (command.constructor.name === 'QueryCommand') await allWritten.promise;
      const answer = await world.table.client.send(command as never);
      if (command.constructor.name === 'PutCommand' && ++written === posts) allWritten.resolve(undefined);
      return answer;
    };
    const table = { ...world.table, client: { send } } as unknown as typeof world.table;
    // Six seconds pass between the last write and the first count.
    const services = { table, now: () => (written < posts ? T : T + 6000) };
    const refused = await Promise.all(
      Array.from({ length: posts }, () => reserveAll(services, [request(account)])),
    );
    expect(refused.filter(violations => violations.length === 0)).toHaveLength(3);
    expect(await reservationsIn(account)).toHaveLength(CAP);
  });

  test('goes to the earliest request however late the others delete theirs', async () => {
    const account = newAccount();
    await fill(account, CAP - 1);
    const slow = request(account);
    await putCapReservation(world.table, { ...slow, taken_at: T + 1 });
    let pauses = 0;
    const sleep = async () => {
      pauses += 1;
      if (pauses === 30) await releaseAll(world.table, [slow]);
    };
    expect(await reserveAll({ ...caps(), sleep }, [request(account)])).toEqual([]);
    expect(pauses).toBe(30);
    expect(await reservationsIn(account)).toHaveLength(CAP);
  });
});

describe('delivery', () => {
  const kinds = () => world.events.map(({ event }) => event);
  const accountOf = (post: Post) => post.destinations.x!.social_account_id;

  test('defers a post over the cap, sends post.retry and publishes when the window frees', async () => {
    const post = await world.store();
    await fill(accountOf(post), CAP, world.clock.now - 2 * HOUR);
    await world.schedule(post);
    await world.runDue();
    const waiting = (await world.read(post)).destinations.x;
    const frees = post.due_at + 22 * HOUR;
    expect(waiting).toMatchObject({ status: 'retrying', error: { code: 'DAILY_CAP' }, failures: 0 });
    expect(waiting).toHaveProperty('next_attempt_at', frees + 1000);
    expect(kinds()).toEqual(['post.retry']);

    await world.runUntilSettled(post);
    expect(statusOf(await world.read(post))).toBe('published');
    expect(world.platform.live.at(-1)!.at).toBeGreaterThanOrEqual(frees);
    expect(kinds()).toEqual(['post.retry', 'post.published']);
  });

  test('publishes exactly as many of several posts as the cap allows, and the others a day later', async () => {
    const account_id = newAccount();
    await world.connect('x', { id: account_id });
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
    for (const post of posts) await world.schedule(post);
    await world.runDue();
    const statuses = await Promise.all(
      posts.map(async post => (await world.read(post)).destinations.x!.status),
    );
    expect(statuses).toEqual(['published', 'published', 'retrying', 'retrying']);
    for (const post of posts) await world.runUntilSettled(post);
    const all = await Promise.all(posts.map(async post => statusOf(await world.read(post))));
    expect(all).toEqual(['published', 'published', 'published', 'published']);
    await world.connect('x');
  });

  test.each([
    [5 * MINUTE, false],
    [5 * MINUTE + 1, true],
  ])('moves the reservation of a post that is %i ms late: %s', async (late, moves) => {
    const post = await world.store();
    const reservation = { account_id: accountOf(post), post_id: post.post_id, at: post.due_at, taken_at: 0 };
    await putCapReservation(world.table, reservation);
    world.clock.now += late;
    await world.handle(publishMessage(post));
    const [{ at } = { at: 0 }] = await reservationsIn(accountOf(post));
    expect(at).toBe(moves ? world.clock.now : post.due_at);
  });

  test('releases the reservation of a post that failed a day after it was deferred', async () => {
    const post = await world.store();
    await fill(accountOf(post), CAP, world.clock.now - HOUR);
    await world.schedule(post);
    await world.runDue();
    const mine = async () =>
      (await reservationsIn(accountOf(post))).filter(({ post_id }) => post_id === post.post_id);
    expect(await mine()).toHaveLength(1);
    world.platform.commitFaults = [{ kind: 'rejected', code: 'CONTENT_REJECTED', message: 'no' }];
    await world.runUntilSettled(post);
    expect(statusOf(await world.read(post))).toBe('failed');
    expect(await mine()).toEqual([]);
  });

  test('moves the reservation of a late post to the time when it goes live', async () => {
    const post = await world.store();
    await putCapReservation(world.table, {
      account_id: accountOf(post),
      post_id: post.post_id,
      at: post.due_at,
      taken_at: 0,
    });
    world.clock.now += 3 * HOUR;
    await world.schedule(post);
    await world.runDue();
    const reservations = await reservationsIn(accountOf(post), world.clock.now + DAY);
    expect(reservations.map(({ at }) => at)).toEqual([world.clock.now]);
  });

  test('releases the reservation of a failed post', async () => {
    const post = await world.store();
    world.platform.commitFaults = [{ kind: 'rejected', code: 'CONTENT_REJECTED', message: 'no' }];
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect(statusOf(await world.read(post))).toBe('failed');
    expect(await reservationsIn(accountOf(post), world.clock.now + DAY)).toEqual([]);
  });

  test('keeps the reservation of a post that may be live', async () => {
    world.platform.reconcile = 'cannot tell';
    world.platform.commitFaults = [
      {
        kind: 'transient',
        code: 'PLATFORM_UNAVAILABLE',
        message: 'cut',
        outcomeUnknown: true,
        accepted: true,
      },
    ];
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect((await world.read(post)).destinations.x).toMatchObject({ error: { code: 'DELIVERY_UNKNOWN' } });
    expect(await reservationsIn(accountOf(post), world.clock.now + DAY)).toHaveLength(1);
  });

  const limited = (retryAfterMs: number) =>
    ({
      kind: 'rate_limited',
      code: 'PLATFORM_RATE_LIMIT',
      message: 'wait',
      retryAfterMs,
      limit: 25,
    }) as const;

  test('does not store a limit that ends within half an hour', async () => {
    world.platform.commitFaults = [limited(30 * MINUTE - 1)];
    const post = await world.store();
    await world.handle(publishMessage(post));
    expect((await world.connection('x'))!.announced_limit).toBeUndefined();
    world.platform.commitFaults = [limited(30 * MINUTE)];
    await world.handle(publishMessage(await world.store()));
    const resets_at = world.clock.now + 30 * MINUTE;
    expect((await world.connection('x'))!.announced_limit).toEqual({ limit: 25, resets_at });
  });

  test('does not store a limit during which new posts are accepted', async () => {
    world.platform.commitFaults = [{ ...limited(2 * HOUR), acceptsPosts: true }];
    const before = await world.connection('x');
    await world.handle(publishMessage(await world.store()));
    expect((await world.connection('x'))!.announced_limit).toEqual(before!.announced_limit);
  });

  test('stores a limit that the platform announced with the account', async () => {
    world.platform.commitFaults = [limited(2 * HOUR)];
    const post = await world.store();
    const now = world.clock.now;
    await world.schedule(post);
    await world.runDue();
    expect((await world.connection('x'))!.announced_limit).toEqual({ limit: 25, resets_at: now + 2 * HOUR });
    await world.runUntilSettled(post);
    expect(statusOf(await world.read(post))).toBe('published');
  });
});
