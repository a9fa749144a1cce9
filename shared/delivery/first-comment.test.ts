import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import type { Post } from '../model/post.ts';

let world: DeliveryWorld;

beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('linkedin');
});
afterAll(() => world.close());
beforeEach(() => {
  world.queue.length = 0;
  world.events.length = 0;
  Object.assign(world.platform, { live: [], comments: [], commentFaults: [] });
});

const store = () => world.store({ first_comment: 'See (v2) #x' }, ['linkedin']);
const noteOf = ({ workspace_id, post_id, version }: Post) => ({
  queue: 'publish',
  body: JSON.stringify({ workspace_id, post_id, version, platform: 'linkedin' }),
  at: 0,
  receives: 0,
});
const outcome = async (post: Post) => {
  const { linkedin } = (await world.read(post)).destinations;
  return linkedin?.status === 'published' ? linkedin.first_comment : null;
};

describe('a first comment', () => {
  test('follows the post, once, as it was written', async () => {
    const post = await store();
    await world.alarm(post);
    await world.settle(post);
    expect(world.platform.comments).toEqual([`${post.post_id}:linkedin See (v2) #x`]);
    expect(await outcome(post)).toEqual({ status: 'published', error: null });
    expect((await world.read(post)).wake_at).toBeUndefined();
  });

  test.each([
    ['rejected', 'PERMISSION_MISSING', 'No comments for you'],
    ['transient', 'PLATFORM_UNAVAILABLE', 'busy'],
    ['token_expired', 'TOKEN_EXPIRED', 'revoked'],
  ] as const)(
    'that fails (%s) never fails or repeats the post, and says why',
    async (kind, code, message) => {
      world.platform.commentFaults = [{ kind, code, message }];
      const post = await store();
      await world.alarm(post);
      await world.settle(post);
      expect(world.platform.live).toHaveLength(1);
      expect(await outcome(post)).toMatchObject({ status: 'failed', error: { code, message } });
      expect(world.events.map(({ event }) => event)).toEqual(['post.published']);
    },
  );

  test('is made at most once, whenever its worker dies, and the post is live once', async () => {
    const plain = await store();
    const calls = await world.handleCounted(noteOf(plain));
    for (let at = 1; at <= calls; at += 1) {
      for (const when of ['before', 'after'] as const) {
        Object.assign(world.platform, { live: [], comments: [] });
        world.queue.length = 0;
        const post = await store();
        await world.handle(noteOf(post), { at, when });
        await world.settle(post);
        const { live, comments } = world.platform;
        const told = await outcome(post);
        // A comment that may be live is called so, and not tried again.
        const isTrue =
          told?.status === 'published' ? comments.length === 1 : told?.error?.code === 'DELIVERY_UNKNOWN';
        expect([`${when} call ${at}`, live.length, comments.length <= 1, isTrue]).toEqual([
          `${when} call ${at}`,
          1,
          true,
          true,
        ]);
      }
    }
  });
});
