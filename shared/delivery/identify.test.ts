import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { deliveryWorld, publishMessage, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import type { FakeFault } from '../../test/support/fake-platform.ts';
import { UNKNOWN_POST_ID, type Destination, type PublishedPost } from '../model/destination.ts';
import { failure } from '../model/failure.ts';
import { newId } from '../model/id.ts';
import { statusOf, type Post } from '../model/post.ts';
import { putCapReservation } from '../store/cap-reservations.ts';
import { MINUTE, SECOND } from '../time/instant.ts';
import { RULES } from '../platforms/registry/rules.ts';
import { createIdentify } from './identify.ts';
import { failed, leased, published, waiting, withIntent } from './transitions.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
});
afterAll(() => world.close());
beforeEach(() => {
  world.reset();
  world.platform.reconcile = 'by text';
});

let accounts = 0;
let posts = 0;
const newAccount = () => `shared-account-${++accounts}`;

/** Stores a pending post of an account that it shares with others, newer than all before. */
function postOf(account: string, change: Partial<Post> = {}): Promise<Post> {
  const post_id = newId(world.clock.now + ++posts);
  return world.store({ post_id, destinations: { x: pending(account) }, ...change });
}

const pending = (social_account_id: string): Destination => ({
  status: 'pending',
  platform: 'x',
  social_account_id,
  revision: 1,
  attempts: 0,
  failures: 0,
  first_attempt_at: null,
  changed_at: world.clock.now,
  outbox: [],
});

const destinationOf = async (post: Post) => (await world.read(post)).destinations.x!;

async function publishAll(posts: readonly Post[]): Promise<Destination[]> {
  world.queue.push(...posts.map(post => publishMessage(post)));
  for (const post of posts) await world.runUntilSettled(post);
  return Promise.all(posts.map(destinationOf));
}

const idOf = (destination: Destination) =>
  destination.status === 'published' ? destination.platform_post_id : destination.status;

/** The response to a commit is lost. `accepted`: the post is live nevertheless. */
const lost = (accepted: boolean): FakeFault => ({
  kind: 'transient',
  code: 'PLATFORM_UNAVAILABLE',
  message: 'No response',
  outcomeUnknown: true,
  accepted,
});

describe('two posts with the same text, of which a response is lost', () => {
  test.each([
    ['is not live', false],
    ['is live', true],
  ])('are both published when the lost one %s', async (_, accepted) => {
    const account = newAccount();
    const both = [await postOf(account), await postOf(account)];
    world.platform.commitFaults = [lost(accepted)];
    const destinations = await publishAll(both);
    expect(destinations.map(idOf)).toEqual(both.map(({ post_id }) => `${post_id}:x`));
    expect(world.platform.live).toHaveLength(2);
  });
});

const fault = fc.constantFrom(null, lost(true), lost(false));

test('posts with the same content are each live once, whatever responses are lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fault, { minLength: 2, maxLength: 4 }), async faults => {
      world.reset();
      world.platform.reconcile = 'by text';
      const account = newAccount();
      const stored: Post[] = [];
      for (const each of faults) {
        stored.push(await postOf(account));
        if (each) world.platform.commitFaults.push(each);
      }
      const destinations = await publishAll(stored);
      expect(world.platform.live).toHaveLength(stored.length);
      expect(new Set(destinations.map(idOf)).size).toBe(stored.length);
      expect(destinations.map(({ status }) => status)).toEqual(stored.map(() => 'published'));
    }),
    { numRuns: 15 },
  );
});

test('posts with the same text and different media are never called published without being live', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fault, { minLength: 2, maxLength: 3 }), async faults => {
      world.reset();
      world.platform.reconcile = 'by text';
      const account = newAccount();
      const stored: Post[] = [];
      for (const [index, each] of faults.entries()) {
        const media_urls = [`https://example.com/${index}.jpg`];
        stored.push(await postOf(account, { post_type: 'image', media_urls }));
        if (each) world.platform.commitFaults.push(each);
      }
      const destinations = await publishAll(stored);
      const live = world.platform.live.map(({ key }) => key);
      expect(new Set(live).size).toBe(live.length);
      for (const [index, { status }] of destinations.entries()) {
        if (status === 'published') expect(live).toContain(`${stored[index]!.post_id}:x`);
        else expect(destinations[index]).toMatchObject({ error: { code: 'DELIVERY_UNKNOWN' } });
      }
    }),
    { numRuns: 15 },
  );
});

describe('a live post that looks like the own one', () => {
  const T = Date.UTC(2026, 11, 1, 10);
  const candidate = (id: string, at = T): PublishedPost => ({
    platform_post_id: id,
    platform_post_url: null,
    published_at: at,
  });
  const held = (destination: Destination, at = T) =>
    withIntent(leased(destination, at - SECOND), { step: 'create', state: {} }, at);
  const looking = (destination: Destination, at = T) =>
    waiting(held(destination, at), {}, at + MINUTE, at + SECOND);
  const unknown = (destination: Destination) =>
    failed(held(destination), failure('DELIVERY_UNKNOWN', 'Lost'), T);
  const live =
    (id: string, followUps: readonly string[] = [], at = T) =>
    (destination: Destination) =>
      published(
        held(destination, at),
        candidate(id, at),
        followUps.map(name => ({ name, state: {} })),
        at,
      );

  type State = (destination: Destination) => Destination;

  /** Asks which of the candidates belongs to a post, beside an older and a newer one of the same account. */
  async function ask(
    candidates: readonly PublishedPost[],
    others: { older?: State; newer?: State; change?: Partial<Post> },
  ) {
    const account = newAccount();
    const { older, newer, change = {} } = others;
    const store = async (state: State | undefined, edited: Partial<Post> = {}) => {
      const post = await postOf(account, {
        destinations: { x: state ? state(pending(account)) : pending(account) },
        ...edited,
      });
      const at = T;
      await putCapReservation(world.table, { account_id: account, post_id: post.post_id, at, taken_at: at });
      return post;
    };
    if (older) await store(older, change);
    const own = await store(held);
    if (newer) await store(newer, change);
    const connection = (await world.connection('x'))!;
    return createIdentify(world.services, RULES.x, own, connection)(candidates);
  }

  const taken = (id: string) => ({ type: 'published', post: candidate(id) });
  const soon = { type: 'wait', delayMs: 5000 };

  test.each<[string, State, object]>([
    ['is taken beside a post that was not sent', each => each, taken('1')],
    ['is taken beside a post that waits', each => leased(each, T), taken('1')],
    ['is taken beside a post with another id', live('2'), taken('1')],
    ['is not that of a post with this id', live('1'), { type: 'absent' }],
    ['is left to a request that may be running', held, soon],
    ['is left to a post whose id is to come', live('process-1', ['public_id']), soon],
    ['is nobody’s for certain beside one of unknown outcome', unknown, { type: 'unknown' }],
  ])('%s', async (_, state, finding) => {
    expect(await ask([candidate('1')], { older: state })).toEqual(finding);
    expect(await ask([candidate('1')], { newer: state })).toEqual(finding);
  });

  test('is taken beside a listed post that still waits for its first comment', async () => {
    const both = [candidate('1'), candidate('2')];
    expect(await ask(both, { older: live('2', ['first_comment']) })).toEqual(taken('1'));
  });

  test('is left to an older post that looks for its own', async () => {
    expect(await ask([candidate('1')], { older: looking })).toEqual(soon);
    expect(await ask([candidate('1')], { newer: looking })).toEqual(taken('1'));
  });

  test.each<[string, Partial<Post>, object]>([
    ['media', { post_type: 'image', media_urls: ['https://example.com/a.jpg'] }, { type: 'unknown' }],
    ['another text', { description: 'Good bye' }, taken('1')],
  ])('is taken before a newer post with %s only if it is certain', async (_, change, finding) => {
    expect(await ask([candidate('1')], { newer: looking, change })).toEqual(finding);
  });

  test('is taken where there are enough for all, the oldest first', async () => {
    const two = [candidate('2', T + 2 * SECOND), candidate('1')];
    expect(await ask(two, { older: unknown })).toEqual(taken('1'));
  });

  test('has no id and is left to as many posts as were published at that time', async () => {
    const unnamed = candidate(UNKNOWN_POST_ID);
    expect(await ask([unnamed], { older: live('m1') })).toEqual({ type: 'absent' });
    expect(await ask([unnamed, unnamed], { older: live('m1') })).toMatchObject({ type: 'published' });
    expect(await ask([unnamed], { older: live('m1', [], T - MINUTE) })).toMatchObject({ type: 'published' });
  });
});

test('a commit that is repeated after a loss stays one, also where it then waits for another post', () => {
  const now = world.clock.now;
  const held = leased(pending(newAccount()), now);
  const repeated = withIntent(held, { step: 'create', state: {} }, now, true);
  expect(waiting(repeated, { intent: null }, now, now)).toMatchObject({ intent: null, lost_commit: true });
});

test('a post is not confused with one of another account', async () => {
  const posts = [await postOf(newAccount()), await postOf(newAccount())];
  const [first, second] = await publishAll(posts);
  expect([statusOf(await world.read(posts[0]!)), first?.status, second?.status]).toEqual(
    Array(3).fill('published'),
  );
});
