import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { mediaHost, type MediaHost } from '../../test/support/media-host.ts';
import { addProfile, call } from '../../test/support/posts.ts';
import type { PlatformId } from '../../shared/model/platform.ts';
import { putCapReservation } from '../../shared/store/cap-reservations.ts';
import { createPost } from './create.ts';
import { listPosts } from './list.ts';
import { validatePost } from './validate.ts';

let world: DeliveryWorld;
let host: MediaHost;
const CONNECTED: readonly PlatformId[] = ['x', 'bluesky', 'instagram', 'youtube', 'pinterest', 'telegram'];
const allowed = process.env['ALLOW_LOOPBACK'];

beforeAll(async () => {
  process.env['ALLOW_LOOPBACK'] = '1';
  world = await deliveryWorld();
  host = await mediaHost();
  for (const platform of CONNECTED) await world.connect(platform);
  await addProfile(world);
});
afterAll(async () => {
  if (allowed === undefined) delete process.env['ALLOW_LOOPBACK'];
  else process.env['ALLOW_LOOPBACK'] = allowed;
  await host.close();
  await world.close();
});

interface Found {
  valid: boolean;
  errors: { field: string; message: string; platform: string | null }[];
  warnings: { code: string; field?: string }[];
  destinations: { platform: string; valid: boolean }[];
}

async function validate(body: Record<string, unknown>): Promise<Found> {
  const whole = { profile_name: 'Acme', post_type: 'text', platforms: ['x'], ...body };
  const answer = await call(world, validatePost, { body: whole });
  expect(answer.status).toBe(200);
  return answer.body as unknown as Found;
}
const image = (urls: string[], platforms: string[], more: Record<string, unknown> = {}) =>
  validate({ post_type: 'image', media_urls: urls.map(url => `${host.url}/${url}`), platforms, ...more });
const video = (url: string, platforms: string[], more: Record<string, unknown> = {}) =>
  validate({ post_type: 'video', media_urls: [`${host.url}/${url}`], platforms, ...more });

describe('POST /posts/validate', () => {
  test('returns no errors and the destinations for a valid post', async () => {
    expect(await validate({ description: 'Good morning' })).toEqual({
      valid: true,
      errors: [],
      warnings: [],
      destinations: [{ platform: 'x', social_account_id: 'c-x', valid: true }],
    });
  });

  test('stores nothing', async () => {
    await validate({ description: 'A text that nobody has posted before, about lighthouses' });
    expect((await call(world, listPosts)).body['data']).toEqual([]);
    const body = { profile_name: 'Acme', post_type: 'text', platforms: ['x'] };
    const created = await call(world, createPost, {
      body: { ...body, description: 'A text that nobody has posted before, about lighthouses' },
    });
    expect(created).toMatchObject({ status: 201, body: { warnings: [] } });
  });

  test('reports every error in one response, each with its platform', async () => {
    const { valid, errors, destinations } = await validate({
      description: 'a'.repeat(301),
      platforms: ['x', 'bluesky', 'instagram', 'threads'],
      scheduled_date: '2020-01-01T00:00:00Z',
      profile_name: 'Acme',
    });
    expect(valid).toBe(false);
    expect(errors.map(({ field, platform }) => [field, platform])).toEqual(
      expect.arrayContaining([
        ['scheduled_date', null],
        ['description', 'x'],
        ['description', 'bluesky'],
        ['post_type', 'instagram'],
        ['platforms', 'threads'],
      ]),
    );
    expect(destinations.map(({ valid: fine }) => fine)).toEqual([false, false, false, false]);
  });

  test('reports a misspelled field that decides when as an error only', async () => {
    const found = await validate({ description: 'A', scheduledDate: '2027-01-01T00:00:00Z' });
    expect(found.errors).toMatchObject([{ field: 'scheduledDate' }]);
    expect(found.warnings.map(({ field }) => field)).not.toContain('scheduledDate');
  });

  test('reports malformed fields and an unknown profile instead of failing', async () => {
    const wrong = await validate({ post_type: 'poem', platforms: 'x', description: 5 });
    expect(wrong.errors.map(({ field }) => field).sort()).toEqual(['description', 'platforms', 'post_type']);
    expect((await validate({ profile_name: 'Nobody', description: 'x' })).errors).toEqual([
      { field: 'profile_name', message: 'Profile not found', platform: null },
    ]);
  });

  test('reports banned hashtags, similar posts, unknown and ignored fields', async () => {
    const text = 'The lighthouse keeper shows his collection of clouds, every evening from seven on';
    const body = { profile_name: 'Acme', post_type: 'text', platforms: ['x'], description: text };
    expect((await call(world, createPost, { body })).status).toBe(201);
    const { warnings } = await validate({ description: `${text}!!`, discription: 'x', youtube_tags: ['a'] });
    expect(warnings.map(({ code }) => code).sort()).toEqual([
      'DUPLICATE_CONTENT',
      'IGNORED_FIELD',
      'UNKNOWN_FIELD',
    ]);
    const banned = await image(['photo.jpg'], ['x', 'instagram'], { description: 'see #tagsforlikes' });
    expect(banned.errors).toMatchObject([{ field: 'description', platform: 'instagram' }]);
    expect(banned.destinations.map(({ valid }) => valid)).toEqual([true, false]);
  });

  test('reports a daily cap that is reached', async () => {
    const at = world.clock.now;
    for (let n = 0; n < 50; n += 1) {
      await putCapReservation(world.table, { account_id: 'c-bluesky', post_id: `p${n}`, at, taken_at: at });
    }
    const { errors } = await validate({ description: 'One more', platforms: ['x', 'bluesky'] });
    expect(errors).toMatchObject([{ field: 'platforms', platform: 'bluesky' }]);
  });
});

describe('media of other hosts', () => {
  test('are accepted whatever their content type says', async () => {
    const { valid, errors } = await image(
      ['photo.jpg', 'photo.png?type=text/plain'],
      ['x', 'instagram', 'telegram'],
    );
    expect(errors).toEqual([]);
    expect(valid).toBe(true);
    expect((await video('clip.mp4?type=application/octet-stream', ['x'])).errors).toEqual([]);
  });

  test('that cannot be read are reported once for all platforms', async () => {
    const { errors } = await image(['photo.jpg', 'photo.jpg?status=403'], ['x', 'telegram']);
    expect(errors).toEqual([
      { field: 'media_urls[1]', message: 'The media host answered 403', platform: null },
    ]);
  });

  test('that are web pages are errors', async () => {
    const { errors } = await image(['page.html'], ['x']);
    expect(errors).toEqual([
      { field: 'media_urls[0]', message: 'The file is a web page, not a media file', platform: null },
    ]);
  });

  test('of another kind than the post are errors', async () => {
    const { errors } = await image(['clip.mp4'], ['x']);
    expect(errors).toMatchObject([{ field: 'media_urls[0]', platform: 'x' }]);
    expect((await video('photo.jpg', ['x'])).errors).toMatchObject([{ field: 'media_urls[0]' }]);
  });

  test('of a format that one platform does not accept are errors', async () => {
    const { errors } = await image(['photo.webp'], ['x', 'instagram']);
    expect(errors).toMatchObject([{ field: 'media_urls[0]', platform: 'instagram' }]);
    expect(errors[0]!.message).toContain('JPG, PNG');
  });

  test('that are too large for a platform are errors', async () => {
    const { errors } = await video('clip.mp4?bytes=2000000000', ['x', 'youtube'], { title: 'Title' });
    expect(errors).toMatchObject([{ field: 'media_urls[0]', platform: 'x' }]);
    expect(errors[0]!.message).toMatch(/size is 2000000000 bytes; at most 1073741824/);
  });

  test('that are too large for a story are errors there', async () => {
    const reel = await video('clip.mp4?bytes=200000000', ['instagram']);
    expect(reel.errors).toEqual([]);
    const story = await video('clip.mp4?bytes=200000000', ['instagram'], { instagram_media_type: 'STORIES' });
    expect(story.errors).toMatchObject([{ field: 'media_urls[0]', platform: 'instagram' }]);
  });

  test('are errors when a thumbnail is too large or not a picture', async () => {
    const withThumbnail = (url: string) =>
      video('clip.mp4', ['youtube'], { title: 'Title', youtube_thumbnail_url: `${host.url}/${url}` });
    expect((await withThumbnail('photo.jpg')).errors).toEqual([]);
    for (const url of ['photo.jpg?bytes=2097153', 'photo.webp', 'clip.mp4']) {
      const { errors } = await withThumbnail(url);
      expect(errors).toMatchObject([{ field: 'youtube_thumbnail_url', platform: 'youtube' }]);
    }
  });

  test("are reported in a platform's own list", async () => {
    const { errors } = await image(['photo.jpg'], ['x', 'pinterest'], {
      pinterest_board_id: '1',
      pinterest_media_urls: [`${host.url}/photo.jpg?status=404`],
    });
    expect(errors).toEqual([
      { field: 'pinterest_media_urls[0]', message: 'The media host answered 404', platform: null },
    ]);
  });

  test('without a size get a warning', async () => {
    const { valid, warnings } = await image(['photo.jpg?range=off&length=off&bytes=300000'], ['x']);
    expect(valid).toBe(true);
    expect(warnings).toMatchObject([{ code: 'MEDIA_NOT_CHECKED', field: 'media_urls[0]' }]);
  });

  test('are never requested from a private address', async () => {
    const { errors } = await validate({
      post_type: 'image',
      media_urls: ['http://169.254.169.254/latest/meta-data/'],
    });
    expect(errors).toEqual([
      { field: 'media_urls[0]', message: 'The address 169.254.169.254 is not public', platform: null },
    ]);
    const redirected = await image([`photo.jpg?redirect=${encodeURIComponent('http://10.0.0.1/')}`], ['x']);
    expect(redirected.errors).toMatchObject([{ field: 'media_urls[0]', platform: null }]);
  });
});
