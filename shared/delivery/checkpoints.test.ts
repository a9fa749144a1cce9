import { randomBytes } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { crashPoints } from '../../test/support/crashing-services.ts';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { newId } from '../model/id.ts';
import { statusOf, type Post } from '../model/post.ts';
import { deleteCheckpoint } from '../store/checkpoints.ts';
import { DAY } from '../time/instant.ts';
import { checkpointStore } from './checkpoints.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  await world.connect('x');
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const IMAGE: Partial<Post> = { post_type: 'image', media_urls: ['https://example.com/1.jpg'] };

/** Returns the items that hold checkpoints of a post, as they are stored. */
async function itemsOf({ post_id }: { post_id: string }) {
  const { Items = [] } = await world.table.client.send(
    new ScanCommand({
      TableName: world.table.name,
      ConsistentRead: true,
      FilterExpression: 'begins_with(SK, :prefix)',
      ExpressionAttributeValues: { ':prefix': `CHECKPOINT#${post_id}#` },
    }),
  );
  return Items;
}

describe('a checkpoint', () => {
  const ids = () => ({ workspace_id: 'w1', post_id: newId() });
  const open = (post: ReturnType<typeof ids>, sealed = false) =>
    checkpointStore(world.services, post, 'x', { sealed });

  test('is stored inline up to 2 KB, in an item of its own beyond', async () => {
    const post = ids();
    const small = { step: 'upload', state: { text: 'a'.repeat(2000) } };
    const large = { step: 'upload', state: { text: 'a'.repeat(2100) } };
    expect(await open(post).put(small)).toEqual(small);
    const stored = await open(post).put(large);
    expect(stored).toEqual({ step: 'upload', item: expect.any(String) });
    expect(await open(post).load(stored)).toEqual(large);
    const [item] = await itemsOf(post);
    const days = (Number(item?.['expires_at']) * 1000 - world.clock.now) / DAY;
    expect(days).toBeCloseTo(30, 0);
  });

  test('holds 1,200 part URLs and ETags', async () => {
    const parts = Array.from({ length: 1200 }, (_, n) => ({
      url: `https://upload.example.com/dms-uploads/sp/D4D10AQF/uploadedVideo/0/1700000000000?uploadId=${'u'.repeat(200)}&partNumber=${n}&sig=${randomBytes(24).toString('hex')}`,
      etag: `"${randomBytes(16).toString('hex')}"`,
    }));
    const checkpoint = { step: 'upload', state: { parts } };
    expect(JSON.stringify(checkpoint).length).toBeGreaterThan(400_000);
    const post = ids();
    const stored = await open(post).put(checkpoint);
    expect(await open(post).load(stored)).toEqual(checkpoint);
  });

  test('that does not fit into an item is refused, with its size', async () => {
    const state = { noise: randomBytes(400_000).toString('hex') };
    await expect(open(ids()).put({ step: 'upload', state })).rejects.toThrow(/checkpoint of x has \d+ bytes/);
  });

  test('is encrypted for its post, platform and item where it is sealed, however small', async () => {
    const [post, other] = [ids(), ids()];
    const checkpoint = { step: 'upload', state: { key: 'secret-key' } };
    const stored = await open(post, true).put(checkpoint);
    const [item] = await itemsOf(post);
    expect(item?.['data']).toMatch(/^v1\./);
    expect(await open(post, true).load(stored)).toEqual(checkpoint);
    expect(await open(other, true).load(stored)).toBeNull();
  });

  test('gets a new item when its state changes, and none when only its step does', async () => {
    const post = ids();
    const store = open(post);
    const state = { text: 'a'.repeat(3000) };
    const first = await store.put({ step: 'upload', state });
    expect(await store.put({ step: 'create', state })).toEqual({ ...first, step: 'create' });
    const second = await store.put({ step: 'create', state: { text: 'b'.repeat(3000) } });
    expect(await itemsOf(post)).toHaveLength(2);
    await store.prune(second);
    expect((await itemsOf(post)).map(({ SK }) => String(SK).split('#').at(-1))).toEqual([
      'item' in second && second.item,
    ]);
    await store.prune(null);
    expect(await itemsOf(post)).toEqual([]);
  });
});

describe.each([
  ['a large state', { stateBytes: 100_000 }],
  ['a sealed state', { sealed: true }],
])('a post with %s', (_, change) => {
  test('is published, and leaves no item behind', async () => {
    Object.assign(world.platform, change, { parts: 3 });
    const post = await world.store(IMAGE);
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect(statusOf(await world.read(post))).toBe('published');
    expect(world.platform.uploads).toBe(3);
    expect(await itemsOf(post)).toEqual([]);
  });

  test('is published once, from its last checkpoint, whichever call was the last of a killed worker', async () => {
    const begin = () => {
      world.reset();
      Object.assign(world.platform, change, { parts: 3 });
      return world.store(IMAGE);
    };
    const calls = await world.runWithCrash(await begin(), null);
    for (const { at, when } of crashPoints(calls)) {
      const post = await begin();
      await world.runWithCrash(post, { at, when });
      const { live, uploads } = world.platform;
      const where = `${when} call ${at}`;
      expect([where, live.length, statusOf(await world.read(post))]).toEqual([where, 1, 'published']);
      // At most the part that was in flight is sent again.
      expect([where, uploads <= 4]).toEqual([where, true]);
    }
  });
});

test('a commit whose checkpoint is gone fails as unknown instead of being repeated', async () => {
  world.platform.stateBytes = 4000;
  world.platform.commitFaults = [
    {
      kind: 'transient',
      code: 'PLATFORM_UNAVAILABLE',
      message: 'timeout',
      outcomeUnknown: true,
      accepted: true,
    },
  ];
  const post = await world.store(IMAGE);
  await world.schedule(post);
  await world.runDue();
  const destination = (await world.read(post)).destinations.x!;
  const checkpoint = destination.status === 'processing' ? destination.checkpoint : null;
  const item = checkpoint && 'item' in checkpoint ? checkpoint.item : '';
  await deleteCheckpoint(world.table, { ...post, platform: 'x', item });
  await world.runUntilSettled(post);
  expect(world.platform.live).toHaveLength(1);
  expect((await world.read(post)).destinations.x).toMatchObject({ error: { code: 'DELIVERY_UNKNOWN' } });
});
