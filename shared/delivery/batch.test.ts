import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { Context, SQSRecord } from 'aws-lambda';
import { crashPoint, crashPoints, type Crash } from '../../test/support/crashing-services.ts';
import {
  deliveryWorld,
  publishMessage,
  type DeliveryWorld,
  type QueuedMessage,
} from '../../test/support/delivery-world.ts';
import { statusOf, type Post } from '../model/post.ts';
import { log } from '../runtime/log.ts';
import { HOUR, MINUTE } from '../time/instant.ts';
import { publishConsumer } from './consumer.ts';
import { CAPACITY } from './load.ts';

/* Several deliveries in one environment of a publisher. */

const SIZE = 4;
/** A batch of posts makes this many calls between two places where its environment dies. */
const STRIDE = 5;
const VISIBILITY_MS = 6 * MINUTE;
const CONTEXT = { getRemainingTimeInMillis: () => 200_000 } as Context;

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
  // Every call of an environment that has died is an error.
  jest.spyOn(log, 'error').mockReturnValue(undefined);
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const storeBatch = (): Promise<Post[]> => Promise.all(Array.from({ length: SIZE }, () => world.store()));

/** Handles a batch in one environment, which dies as `crash` says. Returns the environment's calls, and the messages that are left. */
async function handleBatch(
  batch: readonly QueuedMessage[],
  crash: Crash | null = null,
  environment = world.newProcess(crash),
) {
  const Records = batch.map(({ body }, index) => ({ messageId: String(index), body }) as SQSRecord);
  const { batchItemFailures } = await publishConsumer(environment.run)({ Records }, CONTEXT);
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const calls = environment.calls();
  // An environment that died does not answer, so that all of its messages return.
  const isDead = crash !== null && calls >= crash.at;
  return { calls, left: batch.filter((_, index) => isDead || failed.has(String(index))) };
}

const withWeight = (post: Post, weight: number) => {
  const { body, ...message } = publishMessage(post);
  return { ...message, body: JSON.stringify({ ...(JSON.parse(body) as object), weight }) };
};
const light = (posts: readonly Post[]) => posts.map(post => withWeight(post, 1));
const statusIn = async (post: Post) => (await world.read(post)).destinations.x!.status;
const weightsIn = (queue: readonly QueuedMessage[]) =>
  queue.map(({ body }) => (JSON.parse(body) as { weight?: number }).weight);

/** Expects that each post of a batch, whose environment died, goes live exactly once. */
async function expectLiveOnce(where: string, posts: readonly Post[], left: readonly QueuedMessage[]) {
  world.queue.push(...left.map(message => ({ ...message, at: world.clock.now + VISIBILITY_MS })));
  for (const post of posts) await world.runUntilSettled(post);
  const keys = world.platform.live.map(({ key }) => key).toSorted();
  expect([where, keys]).toEqual([where, posts.map(({ post_id }) => `${post_id}:x`).toSorted()]);
  for (const post of posts) expect([where, statusOf(await world.read(post))]).toEqual([where, 'published']);
  expect([where, new Set(world.events.map(({ id }) => id)).size]).toEqual([where, SIZE]);
}

test('an environment that dies anywhere leaves each post of its batch live exactly once', async () => {
  const { calls } = await handleBatch(light(await storeBatch()));
  for (const crash of crashPoints(calls).filter((_, place) => place % STRIDE === 0)) {
    world.reset();
    const posts = await storeBatch();
    const { left } = await handleBatch(light(posts), crash);
    await expectLiveOnce(`${crash.when} call ${crash.at}`, posts, left);
  }
});

/** Returns a wait that ends, after `met`, when all deliveries of a batch have come to it. */
function meeting(met: () => void): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let waiting = 0;
  return () => {
    waiting += 1;
    if (waiting === SIZE) {
      met();
      resolve(undefined);
    }
    return promise;
  };
}

test('an environment that dies with all of its batch in flight leaves each post live exactly once', async () => {
  // The number of requests that have reached the platform by then.
  for (let sent = 0; sent <= SIZE; sent += 1) {
    world.reset();
    const posts = await storeBatch();
    const crash: Crash = { at: Infinity, when: 'after' };
    const environment = world.newProcess(crash);
    world.platform.beforeCommit = meeting(() => {
      const { at, when } = crashPoint(sent);
      Object.assign(crash, { at: environment.calls() + at, when });
    });
    const { left } = await handleBatch(light(posts), crash, environment);
    expect(await Promise.all(posts.map(statusIn))).toEqual(posts.map(() => 'publishing'));
    expect(world.platform.live).toHaveLength(sent);
    await expectLiveOnce(`${sent} of ${SIZE} sent`, posts, left);
  }
});

test('each post of a batch has a lease of its own, and a failure of one returns its message only', async () => {
  const posts = await storeBatch();
  const unreadable = { ...publishMessage(posts[0]!), body: '{}' };
  const { left } = await handleBatch([...light(posts), unreadable]);
  expect(left).toEqual([unreadable]);
  expect(world.platform.live).toHaveLength(SIZE);
  expect(await Promise.all(posts.map(statusIn))).toEqual(posts.map(() => 'published'));
});

test('what does not fit is sent back at once, and that is no attempt', async () => {
  const [heavy, ...others] = await storeBatch();
  const { left } = await handleBatch([withWeight(heavy!, CAPACITY), ...light(others)]);
  expect(left).toEqual([]);
  expect(world.platform.live).toHaveLength(1);
  expect(world.queue.map(({ at }) => at)).toEqual(others.map(() => world.clock.now));
  expect(world.queue.map(({ group }) => group)).toEqual(others.map(({ workspace_id }) => workspace_id));
  for (const post of others) {
    expect((await world.read(post)).destinations.x).toMatchObject({ status: 'pending', attempts: 0 });
  }
  for (const post of others) await world.runUntilSettled(post);
  expect(world.platform.live).toHaveLength(SIZE);
});

test('after its environment has died, a post takes all of the next one', async () => {
  const posts = await storeBatch();
  await handleBatch(light(posts.slice(0, 1)), { at: 6, when: 'after' });
  expect(await statusIn(posts[0]!)).toBe('publishing');
  world.clock.now += HOUR;
  for (const post of posts) await world.schedule(await world.read(post));
  expect(weightsIn(world.queue)).toEqual([CAPACITY, 1, 1, 1]);
});
