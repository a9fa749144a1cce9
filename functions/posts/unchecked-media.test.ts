import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MEDIA, publicUrlOf } from '../../shared/store/objects.ts';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { sampleFiles } from '../../test/support/media.ts';
import { memoryBucket } from '../../test/support/memory-bucket.ts';
import { addProfile, call } from '../../test/support/posts.ts';
import { createPost } from './create.ts';
import { updatePost } from './update.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  for (const platform of ['x', 'instagram', 'bluesky'] as const) await world.connect(platform);
  await addProfile(world);
});
afterAll(() => world.close());

const later = () => ({ scheduled_date: new Date(world.clock.now + 3_600_000).toISOString() });
const image = (change: Record<string, unknown>) => ({
  profile_name: 'Acme',
  post_type: 'image',
  platforms: ['x', 'instagram', 'bluesky'],
  description: `Look ${crypto.randomUUID()}`,
  ...change,
});
/** A host that does not exist. */
const elsewhere = (name: string) => `https://no-such-host.example/${name}`;

async function create(change: Record<string, unknown>, services = world.services) {
  const answer = await call(world, createPost, { body: image(change) }, services);
  expect(answer.status).toBe(201);
  return answer.body;
}
const unchecked = ({ warnings }: Record<string, unknown>) =>
  (warnings as { code: string; field: string }[])
    .filter(({ code }) => code === 'MEDIA_NOT_CHECKED')
    .map(({ field }) => field);

// B048
test('a URL that names a video is an error in an image post', async () => {
  const media_urls = [elsewhere('a.jpg'), elsewhere('b.mp4')];
  const { status, body } = await call(world, createPost, { body: image({ ...later(), media_urls }) });
  expect([status, body]).toMatchObject([
    400,
    { details: [{ field: 'media_urls[1]', message: expect.stringContaining('MP4, which is not an image') }] },
  ]);
});

describe('MEDIA_NOT_CHECKED', () => {
  const media_urls = [elsewhere('1.jpg'), elsewhere('2.jpg')];

  test.each([
    ['a date', later],
    ['add_to_queue', () => ({ add_to_queue: true })],
    ['schedule_best_time', () => ({ schedule_best_time: true })],
  ])('is reported once per file of another host, for a post with %s', async (_, when) => {
    const instagram_media_urls = [elsewhere('2.jpg'), elsewhere('3.jpg')];
    expect(unchecked(await create({ ...when(), media_urls, instagram_media_urls }))).toEqual([
      'media_urls[0]',
      'media_urls[1]',
      'instagram_media_urls[1]',
    ]);
  });

  test('is reported for a post that is due at once when the host does not answer', async () => {
    const made = await create({ media_urls });
    expect(unchecked(made)).toEqual(['media_urls[0]', 'media_urls[1]']);
    expect(JSON.stringify(made['warnings'])).toContain('could not be read');
  });

  test('is not reported for stored files', async () => {
    const bucket = memoryBucket();
    const held = publicUrlOf(bucket, `${MEDIA}held.jpg`);
    const bytes = (await sampleFiles())('photo.jpg');
    bucket.objects.set(`${MEDIA}held.jpg`, { bytes, type: 'image/jpeg' });
    const made = await create(
      { ...later(), media_urls: [held, elsewhere('1.jpg')] },
      { ...world.services, bucket },
    );
    expect(unchecked(made)).toEqual(['media_urls[1]']);
  });

  test('is not reported for files that no platform gets', async () => {
    const many = Array.from({ length: 12 }, (_, index) => elsewhere(`${index}.jpg`));
    const made = await create({
      ...later(),
      platforms: ['bluesky'],
      media_urls: many,
      auto_truncate: true,
    });
    expect(unchecked(made)).toHaveLength(4);
  });

  test('is reported for an edit of a scheduled post', async () => {
    const { post_id } = await create({ ...later(), media_urls: [elsewhere('1.jpg')] });
    const params = { id: String(post_id) };
    const { status, body } = await call(world, updatePost, { params, body: { media_urls } });
    expect(status).toBe(200);
    expect(unchecked(body)).toEqual(['media_urls[0]', 'media_urls[1]']);
  });
});
