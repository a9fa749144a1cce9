import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../../test/support/delivery-world.ts';
import { meteredTable } from '../../../test/support/units.ts';
import { deletePost } from '../../store/posts.ts';
import { HOUR } from '../../time/instant.ts';
import { findSimilar, storeFingerprints } from './similar.ts';

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
  return { post, warnings: await storeFingerprints(world.services, post) };
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
    expect(await storeFingerprints(world.services, post)).toEqual([]);

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
    const warnings = await Promise.all(posts.map(post => storeFingerprints(world.services, post)));
    expect(warnings.flat().length).toBeGreaterThanOrEqual(1);
  });

  test('is found by the media of posts without text', async () => {
    const profile = newProfile();
    const media = { profile_id: profile, description: null, post_type: 'image' as const };
    const first = await world.store({ ...media, media_urls: ['https://example.com/a.jpg'] });
    await storeFingerprints(world.services, first);
    const same = await world.store({ ...media, media_urls: ['https://example.com/a.jpg'] });
    expect(await findSimilar(world.services, same)).toHaveLength(1);
    const other = await world.store({ ...media, media_urls: ['https://cdn.example.org/zebra-7.png'] });
    expect(await findSimilar(world.services, other)).toEqual([]);
  });

  test('costs the same with 300 posts in the window and still finds the first', async () => {
    const profile = newProfile();
    const { post: first } = await note(profile, TEXT);
    const meter = meteredTable(world.table);
    const services = { ...world.services, table: meter.table };
    const cost = async (n: number) => {
      const words = Array.from({ length: 20 }, (_, index) =>
        createHash('md5').update(`${n} ${index}`).digest('hex').slice(0, 7),
      );
      const post = await world.store({ profile_id: profile, description: words.join(' ') });
      return meter.measure(() => storeFingerprints(services, post));
    };
    const before = await cost(0);
    for (let n = 1; n < 300; n += 1) await cost(n);
    expect(await cost(300)).toEqual(before);
    expect((await note(profile, TEXT)).warnings).toMatchObject([{ similar_post_id: first.post_id }]);
  });
});
