import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { servedApi, type ServedApi } from '../test/support/served-api.ts';
import { API_GROUPS } from './routes.ts';

/** Entries that fit into a body of 1 MB. */
const HUGE = 200_000;
const list = (entry: unknown, length = HUGE) => Array.from({ length }, () => entry);

let api: ServedApi;
let profileId: string;

beforeAll(async () => {
  api = await servedApi(Object.values(API_GROUPS).flat());
  const { body } = await api.call('POST', '/agency/profiles', { username: 'Acme' });
  profileId = body.profile.id;
});
afterAll(() => api.close());

const post = { post_type: 'image', profile_name: 'Acme', platforms: ['x'], description: 'x' };

describe('an overlong list', () => {
  test.each([
    ['POST', '/posts', 'platforms', { ...post, platforms: list('a') }],
    ['POST', '/posts', 'media_urls', { ...post, media_urls: list('a') }],
    ['POST', '/posts', 'instagram_user_tags', { ...post, instagram_user_tags: [{ tags: list(1) }] }],
    ['POST', '/posts/validate', 'media_urls', { ...post, media_urls: list('a') }],
    ['POST', '/agency/playlists', 'media_asset_ids', { name: 'P', media_asset_ids: list(1) }],
    ['POST', '/webhooks', 'events', { url: 'https://example.com', events: list('a') }],
    ['PUT', '/workspace/banned-hashtags', 'added', { added: list(1) }],
  ])('is one validation error: %s %s, %s', async (method, path, field, body) => {
    const { status, body: answer } = await api.call(method, path, body);
    expect(status).toBe(400);
    expect(answer.details).toContainEqual({
      field,
      message: `${field} must contain at most 2000 entries`,
      platform: null,
    });
    expect(answer.details.length).toBeLessThan(5);
  });

  test('does not hide other validation errors', async () => {
    const body = { name: 7, media_asset_ids: list(1) };
    const { body: answer } = await api.call('POST', '/agency/playlists', body);
    expect(answer.details.map(({ field }: { field: string }) => field)).toEqual([
      'media_asset_ids',
      'name',
      'profile_id',
    ]);
  });

  test('of an unknown field is ignored with the field', async () => {
    const answer = await api.call('POST', '/agency/profiles', { username: 'Long', colours: list(1) });
    expect(answer).toMatchObject({ status: 201, body: { warnings: [{ field: 'colours' }] } });
  });
});

test('a response lists at most a thousand validation errors and counts the others', async () => {
  const body = { name: 'P', profile_id: profileId, media_asset_ids: list('x', 1500) };
  const { status, body: answer } = await api.call('POST', '/agency/playlists', body);
  expect(status).toBe(400);
  expect(answer.details).toHaveLength(1001);
  expect(answer.details[1000]).toEqual({
    field: 'body',
    message: '501 more errors are not listed',
    platform: null,
  });
});
