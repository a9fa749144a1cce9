import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getPost } from '../../shared/store/posts.ts';
import { MEDIA, publicUrlOf } from '../../shared/store/objects.ts';
import { HOUR, toIso } from '../../shared/time/instant.ts';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { sampleFiles } from '../../test/support/media.ts';
import { memoryBucket } from '../../test/support/memory-bucket.ts';
import { addProfile, call } from '../../test/support/posts.ts';
import { createPost } from './create.ts';
import { updatePost } from './update.ts';

const ELSEWHERE = 'https://no-such-host.example/1.jpg';
const bucket = memoryBucket();

let world: DeliveryWorld;
let sample: (name: string) => Buffer;
beforeAll(async () => {
  sample = await sampleFiles();
  world = await deliveryWorld();
  await world.connect('x');
  await addProfile(world);
});
afterAll(() => world.close());

function stored(name: string): string {
  const key = `${MEDIA}${name}`;
  bucket.objects.set(key, { bytes: sample(name), type: 'image/jpeg' });
  return publicUrlOf(bucket, key);
}
const bytesOf = (...names: string[]) => names.reduce((sum, name) => sum + sample(name).length, 0);
const services = () => ({ ...world.services, bucket });

async function create(change: Record<string, unknown>): Promise<string> {
  const scheduled_date = toIso(world.clock.now + HOUR);
  const post = { profile_name: 'Acme', post_type: 'image', platforms: ['x'], scheduled_date };
  const body = { ...post, description: crypto.randomUUID(), ...change };
  const answer = await call(world, createPost, { body }, services());
  expect(answer.status).toBe(201);
  return String(answer.body['post_id']);
}
const mediaBytes = async (id: string) => (await getPost(world.table, 'w1', id))?.media_bytes;

describe('the size of the media of a post', () => {
  test('is stored when every file is known', async () => {
    const media_urls = [stored('photo.jpg'), stored('tall.jpg')];
    expect(await mediaBytes(await create({ media_urls }))).toBe(bytesOf('photo.jpg', 'tall.jpg'));
    expect(await mediaBytes(await create({ post_type: 'text' }))).toBe(0);
  });

  test('is null while a file is not known', async () => {
    expect(await mediaBytes(await create({ media_urls: [stored('photo.jpg'), ELSEWHERE] }))).toBeNull();
  });

  test('changes with an edit of the media', async () => {
    const id = await create({ media_urls: [stored('photo.jpg')] });
    const edit = async (media_urls: string[]) => {
      const answer = await call(world, updatePost, { params: { id }, body: { media_urls } }, services());
      expect(answer.status).toBe(200);
      return mediaBytes(id);
    };
    expect(await edit([stored('photo.jpg'), stored('tall.jpg')])).toBe(bytesOf('photo.jpg', 'tall.jpg'));
    expect(await edit([ELSEWHERE])).toBeNull();
    expect(await edit([stored('tall.jpg')])).toBe(bytesOf('tall.jpg'));
  });
});
