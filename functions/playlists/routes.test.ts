import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../shared/model/id.ts';
import type { Profile } from '../../shared/model/profile.ts';
import { createApiWorld, type ApiWorld, type Shown } from '../../test/support/api-world.ts';
import { routes as mediaRoutes } from '../media/routes.ts';
import { routes } from './routes.ts';

let world: ApiWorld;
let profile: Profile;
beforeEach(async () => {
  world = await createApiWorld([...routes, ...mediaRoutes]);
  profile = await world.profile();
});
afterEach(() => world.close());

const create = (changes: Record<string, unknown> = {}, as = world.owner) =>
  world.call('POST /agency/playlists', { body: { name: 'Loop', profile_id: profile.id, ...changes }, as });
const read = (id: string, as = world.owner) =>
  world.call('GET /agency/playlists/{id}', { params: { id }, as });
const change = (id: string, body: unknown, as = world.owner) =>
  world.call('PATCH /agency/playlists/{id}', { params: { id }, body, as });
const remove = (id: string, as = world.owner) =>
  world.call('DELETE /agency/playlists/{id}', { params: { id }, as });
const list = (query: Record<string, string> = {}, as = world.owner) =>
  world.call('GET /agency/playlists', { query, as });
const fields = ({ body }: Shown) => body.details.map(({ field }: { field: string }) => field);

async function assets(count: number, of: Profile = profile): Promise<string[]> {
  const one = { title: 'Clip', profile_id: of.id, public_url: 'https://cdn.example.com/clip.mp4' };
  const { body } = await world.call('POST /agency/media', { body: Array.from({ length: count }, () => one) });
  return body.media.map(({ id }: { id: string }) => id);
}

test.each([
  ['a name', 200, (name: string) => create({ name })],
  [
    'the title of an asset',
    500,
    (title: string) =>
      world.call('POST /agency/media', {
        body: { title, profile_id: profile.id, public_url: 'https://cdn.example.com/a.mp4' },
      }),
  ],
  [
    'the source type of an asset',
    50,
    (source_type: string) =>
      world.call('POST /agency/media', {
        body: {
          title: 'A',
          source_type,
          profile_id: profile.id,
          public_url: 'https://cdn.example.com/a.mp4',
        },
      }),
  ],
])('%s has at most %d characters, of which an emoji is one', async (_, limit, send) => {
  expect((await send('📷'.repeat(limit))).status).toBe(201);
  expect((await send('📷'.repeat(limit + 1))).status).toBe(400);
});

test('ids may be written in any case', async () => {
  const [asset] = await assets(1);
  const upper = { profile_id: profile.id.toUpperCase(), media_asset_ids: [asset!.toUpperCase()] };
  const { status, body } = await create(upper);
  expect([status, body.playlist.profile_id]).toEqual([201, profile.id]);
  expect(body.playlist.items).toMatchObject([{ media_asset_id: asset }]);
  expect((await list({ profile_id: upper.profile_id })).body).toHaveLength(1);
  const media = { title: 'A', profile_id: upper.profile_id, public_url: 'https://cdn.example.com/a.mp4' };
  expect((await world.call('POST /agency/media', { body: media })).status).toBe(201);
  const found = await world.call('GET /agency/media', { query: { profile_id: upper.profile_id } });
  expect(found.body).toHaveLength(2);
});

describe('POST /agency/playlists', () => {
  test('answers 201 with the playlist, by default looping and empty', async () => {
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body).toEqual({
      message: expect.any(String),
      playlist: {
        id: expect.any(String),
        workspace_id: world.owner.workspace_id,
        profile_id: profile.id,
        name: 'Loop',
        loop_enabled: true,
        created_at: '2026-12-01T10:00:00.000Z',
        items: [],
      },
    });
    expect((await read(body.playlist.id)).body).toEqual(body.playlist);
  });

  test('keeps the order of the assets, also of a repeated one', async () => {
    const [a = '', b = ''] = await assets(2);
    const { body } = await create({ media_asset_ids: [b, a, b], loop_enabled: false });
    expect(body.playlist).toMatchObject({
      loop_enabled: false,
      items: [
        { media_asset_id: b, sort_order: 0 },
        { media_asset_id: a, sort_order: 1 },
        { media_asset_id: b, sort_order: 2 },
      ],
    });
    expect(new Set(body.playlist.items.map(({ id }: { id: string }) => id)).size).toBe(3);
  });

  test('accepts a thousand assets', async () => {
    const some = await assets(100);
    const ids = Array.from({ length: 1000 }, (_, n) => some[n % 100]);
    const { status, body } = await create({ media_asset_ids: ids });
    expect(status).toBe(201);
    expect(body.playlist.items).toHaveLength(1000);
  });

  test('refuses ids that are not assets of the profile, naming each', async () => {
    const [own = ''] = await assets(1);
    const [others = ''] = await assets(1, await world.profile());
    const answer = await create({ media_asset_ids: [own, others, newId()] });
    expect(answer.status).toBe(400);
    expect(fields(answer)).toEqual(['media_asset_ids[1]', 'media_asset_ids[2]']);
    expect((await list()).body).toEqual([]);
  });

  test.each([
    ['name', undefined],
    ['name', null],
    ['name', ''],
    ['name', ' \u200b'],
    ['name', 5],
    ['name', 'n'.repeat(201)],
    ['name', 'a\u0001'],
    ['profile_id', undefined],
    ['profile_id', 'acme'],
    ['loop_enabled', 'yes'],
    ['loop_enabled', 1],
    ['media_asset_ids', 'none'],
    ['media_asset_ids', { length: 1 }],
    ['media_asset_ids', Array.from({ length: 1001 }, () => newId())],
  ])('refuses %s = %j', async (field, value) => {
    const answer = await create({ [field]: value });
    expect(answer.status).toBe(400);
    expect(new Set(fields(answer))).toEqual(new Set([field]));
  });

  test('refuses invalid ids, naming the index of each', async () => {
    expect(fields(await create({ media_asset_ids: [newId(), 'x', null] }))).toEqual([
      'media_asset_ids[1]',
      'media_asset_ids[2]',
    ]);
  });
});

describe('PATCH /agency/playlists/{id}', () => {
  test('changes only the given fields', async () => {
    const [a = '', b = ''] = await assets(2);
    const { id } = (await create({ media_asset_ids: [a] })).body.playlist;
    expect((await change(id, { name: ' Evening ' })).body.playlist).toMatchObject({
      name: 'Evening',
      loop_enabled: true,
      items: [{ media_asset_id: a }],
    });
    const { status, body } = await change(id, { media_asset_ids: [b, a], loop_enabled: false });
    expect(status).toBe(200);
    expect(body.playlist).toMatchObject({
      name: 'Evening',
      loop_enabled: false,
      items: [{ media_asset_id: b }, { media_asset_id: a }],
    });
    expect((await read(id)).body).toEqual(body.playlist);
  });

  test('refuses invalid fields and changes nothing', async () => {
    const { id } = (await create()).body.playlist;
    expect(fields(await change(id, { name: '', loop_enabled: null, media_asset_ids: 1 })).sort()).toEqual([
      'loop_enabled',
      'media_asset_ids',
      'name',
    ]);
    expect((await change(id, { name: 'New', media_asset_ids: [newId()] })).status).toBe(400);
    expect((await read(id)).body.name).toBe('Loop');
  });

  test('loses no concurrent change', async () => {
    const { id } = (await create()).body.playlist;
    const changes = [{ name: 'A' }, { loop_enabled: false }, { name: 'A' }, { loop_enabled: false }];
    await Promise.all(changes.map(each => change(id, each)));
    expect((await read(id)).body).toMatchObject({ name: 'A', loop_enabled: false });
  });
});

describe('GET and DELETE', () => {
  test('list newest first, by profile, page by page', async () => {
    const other = await world.profile();
    for (const [name, profile_id] of [
      ['a', profile.id],
      ['b', other.id],
      ['c', profile.id],
    ]) {
      world.clock.now += 1;
      await create({ name, profile_id });
    }
    const names = ({ body }: Shown) => body.map(({ name }: { name: string }) => name);
    expect(names(await list())).toEqual(['c', 'b', 'a']);
    const first = await list({ profile_id: profile.id, limit: '1' });
    expect(names(first)).toEqual(['c']);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers['link'] ?? '')![1]!;
    const second = await list(Object.fromEntries(new URL(next).searchParams));
    expect(names(second)).toEqual(['a']);
    expect(second.headers['link']).toBeUndefined();
  });

  test('delete a playlist, not its assets', async () => {
    const [a = ''] = await assets(1);
    const { id } = (await create({ media_asset_ids: [a] })).body.playlist;
    expect(await remove(id)).toEqual({ status: 200, headers: {}, body: { message: expect.any(String) } });
    expect((await remove(id)).status).toBe(404);
    expect((await world.call('GET /agency/media/{id}', { params: { id: a } })).status).toBe(200);
  });

  test('answer 404 to another workspace', async () => {
    const [a = ''] = await assets(1);
    const { id } = (await create()).body.playlist;
    const stranger = await world.stranger();
    for (const answer of [
      await read(id, stranger),
      await change(id, { name: 'Mine' }, stranger),
      await remove(id, stranger),
      await create({}, stranger),
      await list({ profile_id: profile.id }, stranger),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect((await list({}, stranger)).body).toEqual([]);
    expect((await create({ media_asset_ids: [a] })).status).toBe(201);
  });
});
