import { GetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { withOutboxSent, failed } from '../../shared/delivery/transitions.ts';
import { failure } from '../../shared/model/failure.ts';
import type { PlatformId } from '../../shared/model/platform.ts';
import type { Post } from '../../shared/model/post.ts';
import { saveDestination } from '../../shared/store/posts.ts';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { call } from '../../test/support/posts.ts';
import { getPost } from './get.ts';
import { retryPost } from './retry.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  for (const platform of ['x', 'bluesky'] as const) await world.connect(platform);
});
afterAll(() => world.close());

const read = ({ post_id: id }: Post) => call(world, getPost, { params: { id } });
const retry = ({ post_id: id }: Post, body: Record<string, unknown> = {}) =>
  call(world, retryPost, { params: { id }, body });

describe('POST /posts/{id}/retry', () => {
  test('retries the failed destinations and no others', async () => {
    world.platform.commitFaults = [{ kind: 'rejected', code: 'CONTENT_REJECTED', message: 'no' }];
    const post = await world.store({}, ['x', 'bluesky']);
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect((await read(post)).body).toMatchObject({ status: 'partially_published' });

    expect(await retry(post)).toMatchObject({ status: 202, body: { destinations_count: 1 } });
    await world.runUntilSettled(post);
    expect((await read(post)).body).toMatchObject({ status: 'published' });
    expect(world.platform.live.filter(({ key }) => key.startsWith(post.post_id))).toHaveLength(2);
    const ids = world.events.filter(({ data }) => 'post_id' in data && data.post_id === post.post_id);
    expect(new Set(ids.map(({ id }) => id)).size).toBe(3);
  });

  describe('of a destination whose response was lost', () => {
    /** X may hold the post; Bluesky has refused it. */
    async function doubtful(platforms: PlatformId[] = ['x', 'bluesky']): Promise<Post> {
      const post = await world.store({}, platforms);
      const lost = failure(
        'DELIVERY_UNKNOWN',
        'The answer to the publishing request was lost; it may be live',
      );
      const no = failure('CONTENT_REJECTED', 'no');
      const destinations = Object.fromEntries(
        platforms.map(platform => {
          const ended = failed(post.destinations[platform]!, platform === 'x' ? lost : no, post.due_at);
          return [platform, withOutboxSent(ended)];
        }),
      );
      return world.store({ destinations });
    }
    const liveOf = ({ post_id }: Post) =>
      world.platform.live.filter(({ key }) => key.startsWith(post_id)).map(({ key }) => key.split(':')[1]);

    test('skips it with a warning', async () => {
      const post = await doubtful();
      expect(await retry(post)).toMatchObject({
        status: 202,
        body: {
          destinations_count: 1,
          platforms: ['bluesky'],
          warnings: [{ code: 'MAY_BE_LIVE', platform: 'x' }],
        },
      });
      await world.runUntilSettled(post);
      expect(liveOf(post)).toEqual(['bluesky']);
    });

    test('refuses when no other destination can be retried', async () => {
      const post = await doubtful(['x']);
      const refused = await retry(post);
      expect(refused).toMatchObject({
        status: 409,
        body: { code: 'POST_MAY_BE_LIVE', status: 'failed', platforms: ['x'] },
      });
      expect(refused.body['error']).toMatch(/even_if_live/);
      await world.runDue();
      expect(liveOf(post)).toEqual([]);
    });

    test('retries it with even_if_live', async () => {
      const post = await doubtful();
      const sent = { platforms: ['x'], even_if_live: true };
      expect(await retry(post, sent)).toMatchObject({
        status: 202,
        body: { destinations_count: 1, platforms: ['x'], warnings: [] },
      });
      await world.runUntilSettled(post);
      expect(liveOf(post)).toEqual(['x']);
    });
  });

  test('reports platforms that are not in the post', async () => {
    const post = await world.store();
    const refused = await retry(post, { platforms: ['x', 'threads', 'myspace'] });
    expect(refused.status).toBe(400);
    expect(refused.body['details']).toMatchObject([
      { field: 'platforms', platform: 'threads' },
      { field: 'platforms', platform: 'myspace' },
    ]);
    expect((await retry(post, { platforms: [], even_if_live: 'yes' })).status).toBe(400);
  });

  test('waits until the events of the failure are sent', async () => {
    const post = await world.store();
    const ended = failed(post.destinations.x!, failure('CONTENT_REJECTED', 'no'), post.due_at);
    const owing = await world.store({ destinations: { x: ended } });
    // They are on their way once the request has seen that they are not.
    let looks = 0;
    const send = async (command: never) => {
      const answer = await world.services.table.client.send(command);
      if ((command as object) instanceof GetCommand && (looks += 1) === 1)
        await saveDestination(world.table, owing, ended, withOutboxSent(ended));
      return answer;
    };
    const table = { ...world.table, client: { send } as unknown as DynamoDBDocumentClient };
    const params = { id: owing.post_id };
    const asked = call(world, retryPost, { params, body: {} }, { ...world.services, table });
    expect((await asked).status).toBe(202);
    expect(looks).toBeGreaterThan(1);
  });

  test('refuses a post without a failed destination', async () => {
    const post = await world.store({ due_at: world.clock.now + 60_000 });
    expect(await retry(post)).toMatchObject({ status: 409, body: { code: 'POST_NOT_RETRYABLE' } });
  });
});
