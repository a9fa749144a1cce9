import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import type { Post } from '../model/post.ts';
import { log } from '../runtime/log.ts';
import { HOUR, MINUTE, SECOND } from '../time/instant.ts';
import { handleDeadLetter } from './dead-letters.ts';
import { deliver } from './deliver.ts';
import { schedulePost } from './dispatch.ts';
import type { PublishMessage } from './messages.ts';
import { WARM_UP_MS } from './warm-up.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
  await world.connect('bluesky');
  jest.spyOn(log, 'warn').mockReturnValue(undefined);
});
afterAll(() => world.close());
beforeEach(() => {
  world.reset();
  // No test shares a second with another.
  world.clock.now += HOUR;
});

const storeIn = (ms: number, change: Partial<Post> = {}, platforms: ('x' | 'bluesky')[] = ['x']) =>
  world.store({ scheduling: 'scheduled', due_at: world.clock.now + ms, ...change }, platforms);
const bodyOf = ({ body }: { body: string }) => JSON.parse(body) as PublishMessage;
const warmUps = () => world.queue.filter(message => bodyOf(message).warm_up);
const warmUpOf = ({ workspace_id, post_id, version }: Post): PublishMessage => ({
  workspace_id,
  post_id,
  version,
  platform: 'x',
  hops: 0,
  weight: 1,
  warm_up: true,
});

test('a publisher is warmed up before a scheduled post is due, and the post is live when it is due', async () => {
  const post = await storeIn(MINUTE);
  await world.schedule(post);
  expect(world.queue.map(message => [message.at - post.due_at, bodyOf(message).warm_up])).toEqual([
    [-WARM_UP_MS, true],
    [0, undefined],
  ]);
  await world.runUntilSettled(post);
  expect(world.platform.live.map(({ at }) => at)).toEqual([post.due_at]);
  expect((await world.read(post)).destinations.x).toMatchObject({ status: 'published', attempts: 1 });
});

test('a publisher is warmed up again for a post whose media are prepared', async () => {
  const media_urls = ['https://example.com/1.jpg'];
  const post = await storeIn(MINUTE, { post_type: 'image', media_urls });
  await world.schedule(post);
  expect(warmUps()).toEqual([]);
  await world.runDue();
  expect(world.platform.uploads).toBe(1);
  expect(warmUps().map(({ at }) => at)).toEqual([post.due_at - WARM_UP_MS]);
});

test('posts that are due in the same second share the warm-up of each platform', async () => {
  const posts = [
    await storeIn(MINUTE, {}, ['x', 'bluesky']),
    await storeIn(MINUTE, {}, ['x', 'bluesky']),
    await storeIn(MINUTE + SECOND),
  ];
  for (const post of posts) await world.schedule(post);
  const asked = warmUps().map(message => [bodyOf(message).post_id, bodyOf(message).platform]);
  expect(asked.toSorted()).toEqual(
    [
      [posts[0]!.post_id, 'x'],
      [posts[0]!.post_id, 'bluesky'],
      [posts[2]!.post_id, 'x'],
    ].toSorted(),
  );
});

test.each([0, SECOND, WARM_UP_MS])('nothing is warmed up for a post that is due in %i ms', async ms => {
  await world.schedule(await storeIn(ms));
  expect(world.queue).toHaveLength(1);
  expect(warmUps()).toEqual([]);
});

test('a warm-up opens the account, and neither acquires the lease nor calls the platform', async () => {
  const post = await storeIn(WARM_UP_MS);
  const process = world.newProcess();
  let opened = 0;
  const keyRing = (...sealed: [string?]) => {
    opened += 1;
    return process.services.keyRing(...sealed);
  };
  await deliver({ ...process.run, services: { ...process.services, keyRing } }, warmUpOf(post));
  expect(opened).toBeGreaterThan(0);
  expect(await world.read(post)).toEqual(post);
  expect(world.queue).toEqual([]);
  expect([world.platform.live, world.platform.polls]).toEqual([[], 0]);
});

test('a warm-up that fails returns no message to the queue, and as a dead letter it is no failed delivery', async () => {
  const post = await storeIn(WARM_UP_MS);
  const { run, services } = world.newProcess();
  const keyRing = () => Promise.reject(new Error('No keys'));
  await deliver({ ...run, services: { ...services, keyRing } }, warmUpOf(post));
  world.clock.now = post.due_at + HOUR;
  await handleDeadLetter(world.services, warmUpOf(post));
  expect(await world.read(post)).toEqual(post);
});

test('a post is published on time when its warm-up cannot be sent', async () => {
  const post = await storeIn(MINUTE);
  const sqs = await world.services.sqs;
  const send = (command: { input: { MessageBody?: string } }) =>
    command.input.MessageBody?.includes('warm_up')
      ? Promise.reject(new Error('Throttled'))
      : sqs.send(command as never);
  await schedulePost({ ...world.services, sqs: { send } as unknown as typeof sqs }, post);
  expect(warmUps()).toEqual([]);
  await world.runUntilSettled(post);
  expect(world.platform.live.map(({ at }) => at)).toEqual([post.due_at]);
});
