import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import { log } from '../runtime/log.ts';
import { consume } from '../runtime/worker.ts';
import { deliver } from './deliver.ts';
import { PublishMessageSchema } from './messages.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
});
afterAll(() => world.close());
afterEach(() => void jest.restoreAllMocks());

/** Publishes a post of the request `r-1` with a publisher whose steps throw. Returns what was logged as an error. */
async function loggedWhen(error: Error) {
  const written = jest.spyOn(log, 'error').mockReturnValue(undefined);
  const { run } = world.newProcess();
  const { x } = run.publishers;
  const plan: typeof x.plan = job => x.plan(job).map(step => ({ ...step, run: () => Promise.reject(error) }));
  const post = await world.store({ request_id: 'r-1', due_at: world.clock.now });
  await deliver(
    { ...run, publishers: { x: { ...x, plan } } },
    {
      workspace_id: post.workspace_id,
      post_id: post.post_id,
      platform: 'x',
      version: post.version,
      hops: 0,
      weight: 1,
    },
  );
  return { post, logged: written.mock.calls.map(([message, fields]) => ({ message, fields })) };
}

test('an unexpected error of a publisher is logged once, with its stack and the request that created the post', async () => {
  const { post, logged } = await loggedWhen(new TypeError('boom'));
  expect(logged).toEqual([
    {
      message: 'Publishing failed with an unexpected error',
      fields: {
        post_id: post.post_id,
        workspace_id: post.workspace_id,
        platform: 'x',
        attempt: 1,
        request_id: 'r-1',
        error_name: 'TypeError',
        error_message: 'boom',
        stack: expect.stringContaining('log-unexpected.test.ts'),
      },
    },
  ]);
});

test('an answer of the platform is not logged as an error', async () => {
  const answer = new PlatformError({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'Busy' });
  expect((await loggedWhen(answer)).logged).toEqual([]);
});

test('the request is in publish messages', async () => {
  world.reset();
  const post = await world.store({ request_id: 'r-2', due_at: world.clock.now });
  await world.schedule(post);
  const bodies = world.queue.map(({ body }): unknown => JSON.parse(body));
  expect(bodies).toMatchObject([{ post_id: post.post_id, request_id: 'r-2' }]);
});

test('a message that fails is logged with its ids', async () => {
  const written = jest.spyOn(log, 'error').mockReturnValue(undefined);
  const body = { workspace_id: 'w', post_id: 'p', platform: 'x', version: 1, request_id: 'r-3' };
  const handler = consume(PublishMessageSchema, () => Promise.reject(new Error('no table')));
  await handler({ Records: [{ messageId: 'm', body: JSON.stringify(body) }] } as never, {} as never);
  expect(written.mock.calls).toEqual([
    [
      'Message handling failed; the message returns to the queue',
      expect.objectContaining({ message_id: 'm', post_id: 'p', platform: 'x', request_id: 'r-3' }),
    ],
  ]);
});
