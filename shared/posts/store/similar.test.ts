import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../../test/support/delivery-world.ts';
import { inParallel } from '../../../test/support/parallel.ts';
import { meteredTable } from '../../../test/support/units.ts';
import { newId } from '../../model/id.ts';
import type { Post } from '../../model/post.ts';
import { MAX_COMPARED, putFingerprint } from '../../store/fingerprints.ts';
import { deletePost, replacePost } from '../../store/posts.ts';
import { HOUR } from '../../time/instant.ts';
import { findSimilar, storeFingerprint } from './similar.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
});
afterAll(() => world.close());

let profiles = 0;
const newProfile = () => `profile-${++profiles}`;
const TEXT = 'We open our new shop in the old harbour on Saturday. Come and see us: https://example.com/shop';

async function note(profile_id: string, description: string, due_at = world.clock.now) {
  const post = await world.store({ profile_id, description, due_at });
  return { post, warnings: await storeFingerprint(world.services, post) };
}

describe('similar content', () => {
  test('is reported with the other post and the similarity', async () => {
    const profile = newProfile();
    const { post: first, warnings } = await note(profile, TEXT);
    expect(warnings).toEqual([]);
    expect((await note(profile, ` ${TEXT.toLowerCase()}?utm_source=mail !!`)).warnings).toMatchObject([
      { code: 'DUPLICATE_CONTENT', similar_post_id: first.post_id, similarity: 1 },
    ]);
    const near = await note(profile, TEXT.replace('Saturday', 'Sunday'));
    expect(near.warnings).toHaveLength(1);
    expect(near.warnings[0]).toHaveProperty('similarity');
    expect((near.warnings[0] as { similarity: number }).similarity).toBeLessThan(1);
  });

  test('is not reported for another profile, another week, a deleted post or the post itself', async () => {
    const profile = newProfile();
    const { post } = await note(profile, TEXT);
    expect((await note(newProfile(), TEXT)).warnings).toEqual([]);
    expect((await note(profile, TEXT, world.clock.now + 49 * HOUR)).warnings).toEqual([]);
    expect(await storeFingerprint(world.services, post)).toEqual([]);

    const other = newProfile();
    const deleted = await note(other, TEXT);
    await deletePost(world.table, deleted.post);
    expect((await note(other, TEXT)).warnings).toEqual([]);
  });

  test('is reported to one of two equal posts created at the same time', async () => {
    const profile = newProfile();
    const posts = await Promise.all(
      [0, 1].map(() => world.store({ profile_id: profile, description: TEXT })),
    );
    const warnings = await Promise.all(posts.map(post => storeFingerprint(world.services, post)));
    expect(warnings.flat().length).toBeGreaterThanOrEqual(1);
  });

  test('is found by the media of posts without text', async () => {
    const profile = newProfile();
    const media = { profile_id: profile, description: null, post_type: 'image' as const };
    const first = await world.store({ ...media, media_urls: ['https://example.com/a.jpg'] });
    await storeFingerprint(world.services, first);
    const same = await world.store({ ...media, media_urls: ['https://example.com/a.jpg'] });
    expect(await findSimilar(world.services, same)).toHaveLength(1);
    const other = await world.store({ ...media, media_urls: ['https://cdn.example.org/zebra-7.png'] });
    expect(await findSimilar(world.services, other)).toEqual([]);
  });

  test('is reported with the most similar post, however many others share a key', async () => {
    const profile = newProfile();
    const { post: same } = await note(profile, TEXT, world.clock.now - 40 * HOUR);
    for (let n = 0; n < 15; n += 1) await note(profile, `${TEXT} Part ${n} of our diary, with pictures`);
    expect((await note(profile, TEXT)).warnings).toMatchObject([
      { similar_post_id: same.post_id, similarity: 1 },
    ]);
  });

  test('is not reported for what an edit has changed: text, time or profile', async () => {
    const profile = newProfile();
    const { post } = await note(profile, TEXT);
    const edits: Partial<Post>[] = [
      { description: 'Something else' },
      { description: null },
      { due_at: post.due_at + 97 * HOUR },
      { profile_id: newProfile() },
    ];
    let current = post;
    for (const edit of edits) {
      const edited = { ...post, ...edit, version: current.version + 1 };
      expect(await replacePost(world.table, current, edited)).toBe('written');
      current = edited;
      expect(await findSimilar(world.services, { ...post, post_id: newId() })).toEqual([]);
    }
  });

  test('costs one write and two reads at most, with a bounded number of fingerprints', async () => {
    const profile = newProfile();
    const { post: first } = await note(profile, TEXT);
    const meter = meteredTable(world.table);
    const services = { ...world.services, table: meter.table };
    const costOf = async (description: string) => {
      const post = await world.store({ profile_id: profile, description });
      return meter.measure(() => storeFingerprint(services, post));
    };
    expect(await costOf('The first words of another text')).toEqual({ write: 1, read: 1 });
    await fill(profile, MAX_COMPARED - 2, world.clock.now);
    expect((await note(profile, TEXT)).warnings).toMatchObject([{ similar_post_id: first.post_id }]);
    await fill(profile, MAX_COMPARED, world.clock.now + HOUR);
    const { write, read } = await costOf(TEXT);
    expect(write).toBe(1);
    expect(read).toBeLessThanOrEqual(22);
  });
});

/** Stores fingerprints of other texts, as a busy profile has them. */
async function fill(profile_id: string, count: number, from: number) {
  const items = Array.from({ length: count }, (_, n) => ({
    ...{ profile_id, post_id: newId(), due_at: from + n * 60_000 },
    keys: [1, 2, 3, 4, 5].map(key => 10 * n + key),
  }));
  await inParallel(20, items, item => putFingerprint(world.table, item, item.due_at + 48 * HOUR));
}
