import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../shared/model/id.ts';
import { servedApi, type ApiAnswer, type ServedApi } from '../../test/support/served-api.ts';
import { routes as ai } from '../ai/routes.ts';
import { routes as integrations } from '../integrations/routes.ts';
import { routes as media } from '../media/routes.ts';
import { routes as playlists } from '../playlists/routes.ts';
import { routes as profiles } from '../profiles/routes.ts';
import { routes } from './routes.ts';

const DAY = 86_400_000;

let api: ServedApi;
beforeEach(async () => {
  api = await servedApi([...routes, ...profiles, ...media, ...playlists, ...integrations, ...ai]);
});
afterEach(() => api.close());

async function createKey(restrictions: object, as = api.key): Promise<string> {
  const answer = await requestKey(restrictions, as);
  expect(answer.status).toBe(201);
  return answer.body.key;
}
const requestKey = (restrictions: object, as = api.key) =>
  api.call('POST', '/api-keys', { name: 'K', ...restrictions }, { authorization: `Bearer ${as}` });
const call = (key: string, method: string, path: string, body?: unknown) =>
  api.call(method, path, body, { authorization: `Bearer ${key}` });
const iso = (epochMs: number) => new Date(epochMs).toISOString();
const outOfScope = ({ status, body }: ApiAnswer) => [status, body.code] as unknown[];

describe('an API key with expires_at', () => {
  test('works until then and answers 401 afterwards, also from the cache', async () => {
    const expires_at = iso(api.clock.now + 10_000);
    const { body } = await requestKey({ expires_at });
    expect(body.api_key).toMatchObject({ expires_at, scopes: null, profile_ids: null });
    expect((await call(body.key, 'GET', '/workspace')).status).toBe(200);
    api.clock.now += 9_999;
    expect((await call(body.key, 'GET', '/workspace')).status).toBe(200);
    api.clock.now += 1;
    const expired = await call(body.key, 'GET', '/workspace');
    expect([expired.status, expired.body]).toEqual([
      401,
      { error: 'Missing or invalid Authorization header' },
    ]);
  });

  test.each(['yesterday', '2020-01-01T00:00:00Z', '2026-11-02T10:00:00.000Z', 5, ''])(
    'is refused for %j',
    async expires_at => {
      const answer = await requestKey({ expires_at });
      expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'expires_at' }] } });
    },
  );
});

test('an API key is refused with every error of the request', async () => {
  const answer = await requestKey({
    name: 5,
    expires_at: iso(api.clock.now),
    profile_ids: [newId()],
    scope: ['read'],
  });
  const fields = answer.body.details.map(({ field }: { field: string }) => field);
  expect([answer.status, fields]).toEqual([400, ['name', 'expires_at', 'profile_ids[0]', 'scope']]);
});

describe('an API key with scopes', () => {
  test.each([
    ['read', 'GET', '/agency/profiles'],
    ['manage', 'POST', '/agency/profiles'],
    ['media', 'POST', '/agency/playlists'],
    ['post', 'POST', '/ai/generate'],
  ])('needs %s for %s %s', async (scope, method, path) => {
    const others = ['read', 'post', 'media', 'manage'].filter(each => each !== scope);
    const body = method === 'GET' ? undefined : {};
    const denied = await call(await createKey({ scopes: others }), method, path, body);
    expect(denied).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining(scope), code: 'KEY_SCOPE' },
    });
    const allowed = await call(await createKey({ scopes: [scope] }), method, path, body);
    expect(allowed.status).not.toBe(403);
  });

  test.each([[[]], [['admin']], ['read'], [[1]], [{}]])('is refused for %j', async scopes => {
    expect((await requestKey({ scopes })).status).toBe(400);
  });

  test('cannot create a key with fewer restrictions', async () => {
    const expires_at = iso(api.clock.now + DAY);
    const key = await createKey({ scopes: ['manage', 'read'], expires_at });
    const own = await requestKey({}, key);
    expect(own.body.api_key).toMatchObject({ scopes: ['manage', 'read'], expires_at });
    expect(outOfScope(await requestKey({ scopes: ['post'] }, key))).toEqual([403, 'KEY_SCOPE']);
    const longer = await requestKey({ expires_at: iso(api.clock.now + 2 * DAY) }, key);
    expect(outOfScope(longer)).toEqual([403, 'KEY_SCOPE']);
    expect((await requestKey({ scopes: ['read'] }, key)).status).toBe(201);
  });
});

describe('an API key with profile_ids', () => {
  let allowed: { id: string };
  let other: { id: string };
  let key: string;
  beforeEach(async () => {
    allowed = (await api.call('POST', '/agency/profiles', { username: 'Allowed' })).body.profile;
    other = (await api.call('POST', '/agency/profiles', { username: 'Other' })).body.profile;
    key = await createKey({ profile_ids: [allowed.id] });
  });

  const playlist = (profile_id: string) => ({ name: 'P', profile_id });

  test('may act on these profiles only', async () => {
    expect((await call(key, 'GET', `/agency/profiles/${allowed.id}`)).status).toBe(200);
    expect((await call(key, 'POST', '/agency/playlists', playlist(allowed.id))).status).toBe(201);
    expect((await call(key, 'GET', `/agency/playlists?profile_id=${allowed.id}`)).status).toBe(200);
    for (const answer of [
      await call(key, 'GET', `/agency/profiles/${other.id}`),
      await call(key, 'POST', '/agency/playlists', playlist(other.id)),
      await call(key, 'GET', `/agency/playlists?profile_id=${other.id}`),
    ]) {
      expect(outOfScope(answer)).toEqual([403, 'KEY_SCOPE']);
    }
  });

  test('may read and change only resources of these profiles', async () => {
    const made = await api.call('POST', '/agency/playlists', playlist(other.id));
    const path = `/agency/playlists/${made.body.playlist.id}`;
    for (const answer of [
      await call(key, 'GET', path),
      await call(key, 'PATCH', path, { name: 'Mine' }),
      await call(key, 'DELETE', path),
    ]) {
      expect(outOfScope(answer)).toEqual([403, 'KEY_SCOPE']);
    }
    expect((await api.call('GET', path)).body.name).toBe('P');
  });

  test.each([
    ['DELETE', () => `/agency/profiles/${newId()}`],
    ['GET', () => `/integrations/youtube/playlists?profile_name=Nobody`],
    ['GET', () => `/agency/media?profile_id=${newId()}`],
  ])('answers 404 for a profile that does not exist: %s', async (method, path) => {
    const { status, body } = await call(key, method, path());
    expect([status, body]).toEqual([404, { error: 'Profile not found' }]);
  });

  test('may read what is the same for every profile without a name, with names of these only', async () => {
    const path = '/integrations/youtube/categories';
    const answers = [
      await call(key, 'GET', path),
      await call(key, 'GET', `${path}?profile_name=`),
      await call(key, 'GET', `${path}?profile_name=Allowed`),
      await call(key, 'GET', `${path}?profile_name=Other`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 403]);
    expect(answers[0]!.body).toEqual({ error: 'Account not found' });
  });

  test('may write ids in any case', async () => {
    const { body } = await call(key, 'GET', `/agency/profiles/${allowed.id.toUpperCase()}`);
    expect(body).toMatchObject({ profile: { id: allowed.id } });
    const other_id = other.id.toUpperCase();
    expect(outOfScope(await call(key, 'GET', `/agency/profiles/${other_id}`))).toEqual([403, 'KEY_SCOPE']);
    expect((await call(key, 'POST', '/agency/playlists', playlist(allowed.id.toUpperCase()))).status).toBe(
      201,
    );
    expect(outOfScope(await call(key, 'POST', '/agency/playlists', playlist(other_id)))).toEqual([
      403,
      'KEY_SCOPE',
    ]);
  });

  test('may not send one object of a batch to another profile', async () => {
    const asset = { title: 'A', public_url: 'https://cdn.example.com/a.mp4' };
    const batch = [
      { ...asset, profile_id: allowed.id },
      { ...asset, profile_id: other.id },
    ];
    expect(outOfScope(await call(key, 'POST', '/agency/media', batch))).toEqual([403, 'KEY_SCOPE']);
  });

  test('lists these profiles only', async () => {
    const { body } = await call(key, 'GET', '/agency/profiles');
    expect(body.profiles.map(({ id }: { id: string }) => id)).toEqual([allowed.id]);
  });

  test.each([
    ['GET', '/agency/playlists', undefined],
    ['GET', '/agency/media', undefined],
    ['POST', '/agency/profiles', { username: 'Third', profile_name: 'Allowed' }],
    ['GET', '/api-keys', undefined],
    ['POST', '/api-keys', { name: 'K' }],
    ['POST', '/workspace/members', { email: 'm@example.com', role: 'owner' }],
  ])('is denied requests that name no profile: %s %s', async (method, path, body) => {
    expect(outOfScope(await call(key, method, path, body))).toEqual([403, 'KEY_SCOPE']);
  });

  test('is refused for a profile that does not exist in the workspace', async () => {
    for (const profile_ids of [[newId()], ['x'], [], 'x']) {
      expect((await requestKey({ profile_ids })).status).toBe(400);
    }
  });
});

describe('the number of API keys', () => {
  test('is limited by the plan, expired keys not counted', async () => {
    const starter = await servedApi(routes, { plan: 'starter' });
    try {
      const create = (body: object = {}) => starter.call('POST', '/api-keys', { name: 'K', ...body });
      const expires_at = iso(starter.clock.now + DAY);
      const answers = await Promise.all(Array.from({ length: 15 }, () => create({ expires_at })));
      // The workspace has its first key already.
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(9);
      expect(answers.find(({ status }) => status !== 201)).toMatchObject({
        status: 403,
        body: { code: 'KEY_LIMIT', limit: 10 },
      });
      const { body } = await starter.call('GET', '/workspace');
      expect(body.usage.api_keys).toEqual({ used: 10, limit: 10, resets_at: null });

      starter.clock.now += DAY;
      expect((await create()).status).toBe(201);
      expect((await starter.call('GET', '/workspace')).body.usage.api_keys.used).toBe(2);
    } finally {
      await starter.close();
    }
  });
});
