import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../shared/model/id.ts';
import type { Profile } from '../../shared/model/profile.ts';
import { routes as playlistRoutes } from '../playlists/routes.ts';
import { createApiWorld, type ApiWorld, type Shown } from '../../test/support/api-world.ts';
import { routes } from './routes.ts';

let world: ApiWorld;
let profile: Profile;
beforeEach(async () => {
  world = await createApiWorld([...routes, ...playlistRoutes]);
  profile = await world.profile();
});
afterEach(() => world.close());

const register = (body: unknown, as = world.owner) => world.call('POST /agency/media', { body, as });
const read = (id: string, as = world.owner) => world.call('GET /agency/media/{id}', { params: { id }, as });
const list = (query: Record<string, string> = {}, as = world.owner) =>
  world.call('GET /agency/media', { query, as });
const remove = (id: string, as = world.owner) =>
  world.call('DELETE /agency/media/{id}', { params: { id }, as });
const clip = (changes: Record<string, unknown> = {}) => ({
  title: 'Clip',
  profile_id: profile.id,
  public_url: 'https://cdn.example.com/clip.mp4',
  ...changes,
});
const fields = ({ body }: Shown) => body.details.map(({ field }: { field: string }) => field);
const titles = ({ body }: Shown) => body.map(({ title }: { title: string }) => title);

describe('POST /agency/media', () => {
  test('registers one object and requests its probe', async () => {
    const { status, body } = await register(clip());
    expect(status).toBe(201);
    expect(body).toMatchObject({ message: expect.any(String), count: 1 });
    const [{ id }] = body.media;
    expect((await read(id)).body).toEqual({
      id,
      workspace_id: world.owner.workspace_id,
      profile_id: profile.id,
      title: 'Clip',
      source_type: 'url',
      public_url: 'https://cdn.example.com/clip.mp4',
      duration: null,
      size: null,
      mime_type: null,
      width: null,
      height: null,
      status: 'processing',
      error: null,
      created_at: '2026-12-01T10:00:00.000Z',
    });
    expect(world.takeMessages().map(message => message.body)).toEqual([
      { kind: 'probe-assets', workspace_id: world.owner.workspace_id, asset_ids: [id] },
    ]);
  });

  test('keeps what the caller sends', async () => {
    const given = { source_type: 'drive', duration: 12.5, size: 0 };
    expect((await register(clip({ duration: 1e-308 }))).status).toBe(201);
    const { body } = await register(clip(given));
    expect((await read(body.media[0].id)).body).toMatchObject(given);
  });

  test('registers an array, up to 100', async () => {
    const { status, body } = await register(Array.from({ length: 100 }, (_, n) => clip({ title: `${n}` })));
    expect(status).toBe(201);
    expect(body.count).toBe(100);
    expect((await list()).body).toHaveLength(100);
    expect(world.takeMessages()).toHaveLength(10);
  });

  test.each([0, 101])('refuses an array of %i', async length => {
    const answer = await register(Array.from({ length }, () => clip()));
    expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'body' }] } });
  });

  test('names every invalid field of an array and registers none', async () => {
    const answer = await register([
      clip(),
      clip({ title: ' ' }),
      null,
      clip({ public_url: 'ftp', size: -1 }),
      [clip()],
    ]);
    expect(answer.status).toBe(400);
    expect(fields(answer).sort()).toEqual(['[1].title', '[2]', '[3].public_url', '[3].size', '[4]']);
    expect((await list()).body).toEqual([]);
  });

  const url = 'public_url';
  test.each([
    ['title', undefined],
    ['title', null],
    ['title', 7],
    ['title', ['a']],
    ['title', ''],
    ['title', '\u200b\u2800'],
    ['title', 'a\u0000b'],
    ['title', 't'.repeat(501)],
    ['profile_id', undefined],
    ['profile_id', 'acme'],
    ['profile_id', { toString: 1 }],
    [url, undefined],
    [url, 'clip.mp4'],
    [url, 'javascript:alert(1)'],
    [url, 'file:///etc/passwd'],
    [url, 'http://169.254.169.254/latest'],
    [url, 'http://10.0.0.8/a.mp4'],
    [url, 'https://user:secret@cdn.example.com/a.mp4'],
    [url, `https://cdn.example.com/${'a'.repeat(2048)}`],
    ['duration', -1],
    ['duration', 1e308],
    ['duration', 'NaN'],
    ['duration', [1]],
    ['size', 1.5],
    ['size', 1e308],
    ['size', '10'],
    ['source_type', ''],
    ['source_type', {}],
    ['source_type', 's'.repeat(51)],
  ])('refuses %s = %j', async (field, value) => {
    const answer = await register(clip({ [field]: value }));
    expect(answer).toMatchObject({ status: 400, body: { error: 'Validation failed' } });
    expect(new Set(fields(answer))).toEqual(new Set([field]));
  });

  test('answers 404 naming a profile that does not exist or belongs to another workspace', async () => {
    const stranger = await world.stranger();
    expect((await register(clip(), stranger)).status).toBe(404);
    expect(await register([clip(), clip({ profile_id: newId() })])).toMatchObject({
      status: 404,
      body: { error: 'Profile not found', details: [{ field: '[1].profile_id' }] },
    });
    expect((await list()).body).toEqual([]);
  });
});

describe('GET /agency/media', () => {
  test('lists newest first, also of one profile', async () => {
    const other = await world.profile();
    for (const [title, id] of [
      ['a', profile.id],
      ['b', other.id],
      ['c', profile.id],
    ] as const) {
      world.clock.now += 1;
      await register(clip({ title, profile_id: id }));
    }
    expect(titles(await list())).toEqual(['c', 'b', 'a']);
    expect(titles(await list({ profile_id: profile.id }))).toEqual(['c', 'a']);
    expect((await list({ profile_id: newId() })).status).toBe(404);
    expect((await list({ profile_id: 'x' })).status).toBe(400);
    expect((await list({}, await world.stranger())).body).toEqual([]);
  });

  test('follows the Link header page by page, also with a filter', async () => {
    const other = await world.profile();
    for (let n = 0; n < 7; n += 1) {
      world.clock.now += 1;
      await register([clip({ title: `${n}` }), clip({ title: 'other', profile_id: other.id })]);
    }
    const seen: string[] = [];
    let query: Record<string, string> | null = { profile_id: profile.id, limit: '3' };
    while (query) {
      const answer: Shown = await list(query);
      seen.push(...titles(answer));
      const next = /<([^>]+)>; rel="next"/.exec(answer.headers['link'] ?? '')?.[1];
      query = next ? Object.fromEntries(new URL(next).searchParams) : null;
    }
    expect(seen).toEqual(['6', '5', '4', '3', '2', '1', '0']);
  });

  test.each([{ limit: '0' }, { limit: '101' }, { limit: 'abc' }, { limit: '-1' }, { cursor: 'tampered' }])(
    'refuses %j',
    async query => {
      expect((await list(query)).status).toBe(400);
    },
  );
});

describe('DELETE /agency/media/{id}', () => {
  test('deletes the asset and removes it from playlists, whose order stays', async () => {
    const { body } = await register([clip({ title: 'a' }), clip({ title: 'b' }), clip({ title: 'c' })]);
    const [a, b, c] = body.media.map(({ id }: { id: string }) => id);
    const made = await world.call('POST /agency/playlists', {
      body: { name: 'Loop', profile_id: profile.id, media_asset_ids: [a, b, b, c] },
    });
    expect(await remove(b)).toEqual({ status: 200, headers: {}, body: { message: 'OK' } });
    const { body: playlist } = await world.call('GET /agency/playlists/{id}', {
      params: { id: made.body.playlist.id },
    });
    expect(playlist.items).toMatchObject([
      { media_asset_id: a, sort_order: 0 },
      { media_asset_id: c, sort_order: 1 },
    ]);
    expect((await read(b)).status).toBe(404);
    expect((await remove(b)).status).toBe(404);
  });

  test('leaves no playlist with the asset when playlists are created concurrently', async () => {
    const { body } = await register(clip());
    const { id } = body.media[0];
    const make = () =>
      world.call('POST /agency/playlists', {
        body: { name: 'Loop', profile_id: profile.id, media_asset_ids: [id] },
      });
    const answers = await Promise.all([make(), make(), remove(id), make(), make()]);
    for (const { status } of answers) expect([200, 201, 400]).toContain(status);
    const { body: playlists } = await world.call('GET /agency/playlists');
    for (const { items } of playlists) expect(items).toEqual([]);
  });

  test('answers 404 to another workspace', async () => {
    const { body } = await register(clip());
    const { id } = body.media[0];
    const stranger = await world.stranger();
    expect((await remove(id, stranger)).status).toBe(404);
    expect((await read(id, stranger)).status).toBe(404);
    expect((await read(id)).status).toBe(200);
  });
});
