import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { jobOf } from '../../shared/delivery/job.ts';
import { newId } from '../../shared/model/id.ts';
import type { Profile } from '../../shared/model/profile.ts';
import type { Post } from '../../shared/model/post.ts';
import { CONNECTORS } from '../../shared/platforms/registry.ts';
import { getConnection } from '../../shared/store/connections.ts';
import { createApiWorld, type ApiWorld } from '../../test/support/api-world.ts';
import { routes as profileRoutes } from '../profiles/routes.ts';
import { routes } from './routes.ts';

let house: ApiWorld;
let profile: Profile;
beforeEach(async () => {
  house = await createApiWorld([...routes, ...profileRoutes]);
  profile = await house.profile({ profile_name: 'Acme' });
});
afterEach(() => house.close());

const list = (as = house.owner) => house.call('GET /integrations', { as });
const targets = (
  platform: string,
  query: Record<string, string> = { profile_name: 'Acme' },
  as = house.owner,
) => house.call('GET /integrations/{platform}/targets', { params: { platform }, query, as });
const update = (id: string, body: unknown, as = house.owner) =>
  house.call('PATCH /integrations/{id}', { params: { id }, body, as });
const disconnect = (id: string, as = house.owner) =>
  house.call('DELETE /integrations/{id}', { params: { id }, as });
const connect = (platform: string, body: unknown) =>
  house.call('POST /integrations/{platform}/connect', { params: { platform }, body });

describe('GET /integrations', () => {
  test('shows accounts without a secret', async () => {
    const account = await house.connect(profile, 'telegram');
    const { body } = await list();
    expect(body.accounts).toMatchObject([
      {
        id: account.id,
        platform: 'telegram',
        profile_id: profile.id,
        profile_name: 'Acme',
        active: true,
        default_target_id: null,
      },
    ]);
    expect(JSON.stringify(body)).not.toContain(account.sealed);
  });

  test('shows no account of a deleted profile, and none of another workspace', async () => {
    await house.connect(profile, 'telegram');
    expect((await list(await house.stranger())).body.accounts).toEqual([]);
    await house.call('DELETE /agency/profiles/{id}', { params: { id: profile.id } });
    expect((await list()).body.accounts).toEqual([]);
  });
});

describe('targets', () => {
  const PAGES = [
    { id: 'p1', name: 'Page 1' },
    { id: 'p2', name: 'Page 2' },
  ];
  /** No platform with targets is needed to show how they work. */
  const withTargets = { targets: () => Promise.resolve(PAGES) };
  beforeEach(() => {
    Object.assign(CONNECTORS.telegram!, withTargets);
    house.services.ssm.send = () =>
      Promise.resolve({ Parameter: { Value: '{"client_id":"a","client_secret":"b"}' } });
  });
  afterEach(() => {
    Reflect.deleteProperty(CONNECTORS.telegram!, 'targets');
  });

  test('of a platform that has none are an empty list', async () => {
    expect(await targets('x')).toEqual({ status: 200, headers: {}, body: { targets: [], total: 0 } });
  });

  test('are listed; the chosen one is told apart and goes to the publisher', async () => {
    const account = await house.connect(profile, 'telegram');
    expect((await update(account.id, { default_target_id: ' p2 ' })).body.account).toMatchObject({
      id: account.id,
      default_target_id: 'p2',
    });
    expect((await targets('telegram')).body).toEqual({
      targets: [
        { id: 'p1', name: 'Page 1', is_default: false },
        { id: 'p2', name: 'Page 2', is_default: true },
      ],
      total: 2,
    });
    const stored = (await getConnection(house.table, profile.workspace_id, profile.id, 'telegram'))!;
    expect(jobOf(post(), stored).account.attributes).toEqual({ default_target_id: 'p2' });

    expect((await update(account.id, { default_target_id: null })).body.account.default_target_id).toBeNull();
    const cleared = (await getConnection(house.table, profile.workspace_id, profile.id, 'telegram'))!;
    expect(jobOf(post(), cleared).account.attributes).toEqual({});
  });

  test.each([undefined, '', '  ', 5, ['p1'], 'p3', 'x'.repeat(201)])('are no %j', async default_target_id => {
    const account = await house.connect(profile, 'telegram');
    expect(await update(account.id, { default_target_id })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'default_target_id' }] },
    });
  });

  test('need a platform, a profile and an account that exist', async () => {
    expect(await targets('myspace')).toMatchObject({ status: 404, body: { error: 'Platform not found' } });
    expect(await targets('x', { profile_name: 'Nobody' })).toMatchObject({
      status: 404,
      body: { error: 'Profile not found' },
    });
    expect(await targets('telegram')).toMatchObject({ status: 404, body: { error: 'Account not found' } });
    expect(await targets('x', {})).toMatchObject({
      status: 400,
      body: { details: [{ field: 'profile_name' }] },
    });
    expect((await targets('x', { profile_name: 'Acme' }, await house.stranger())).status).toBe(404);
    expect((await update(newId(), { default_target_id: null })).status).toBe(404);
  });

  const post = (): Post =>
    ({
      post_id: newId(),
      post_type: 'text',
      description: 'Hello',
      title: null,
      media_urls: [],
      first_comment: null,
      auto_truncate: false,
      options: {},
    }) as unknown as Post;
});

describe('POST /integrations/{platform}/connect', () => {
  test('says in plain words what is wrong with the fields of a platform', async () => {
    const body = { profile_name: 'Acme', identifier: '', app_password: 7 };
    const { status, body: answer } = await connect('bluesky', body);
    expect(status).toBe(400);
    expect(answer.details).toEqual([
      { field: 'identifier', message: 'Must not be empty', platform: 'bluesky' },
      { field: 'app_password', message: 'Must be a string', platform: 'bluesky' },
    ]);
  });
});

describe('DELETE /integrations/{id}', () => {
  test('ends the connection, for its workspace alone', async () => {
    const { id } = await house.connect(profile, 'telegram');
    const stranger = await house.stranger();
    expect((await disconnect(id, stranger)).status).toBe(404);
    expect((await update(id, { default_target_id: null }, stranger)).status).toBe(404);
    expect((await disconnect(id)).status).toBe(204);
    expect((await disconnect(id)).status).toBe(404);
  });
});

describe('redirect_url', () => {
  const ask = (redirect_url: unknown) => connect('x', { profile_name: 'Acme', redirect_url });
  beforeEach(() => {
    house.services.ssm.send = () =>
      Promise.resolve({ Parameter: { Value: '{"client_id":"a","client_secret":"b"}' } });
  });

  test('is no page unless the operator says which', async () => {
    expect(await ask('https://app.example.com/done?x=1')).toMatchObject({
      status: 400,
      body: { details: [{ field: 'redirect_url', message: expect.stringContaining('redirectAllowlist') }] },
    });
    expect((await ask(undefined)).status).toBe(200);
    house.settings['REDIRECT_ALLOWLIST'] = 'https://app.example.com,https://admin.example.com';
    expect((await ask('https://app.example.com/done')).status).toBe(200);
    for (const url of [
      'https://evil.example.com/',
      'https://localhost/',
      'https://app.example.com.evil.com/',
      'https://app.example.com:8443/',
    ]) {
      expect(await ask(url)).toMatchObject({ status: 400, body: { details: [{ field: 'redirect_url' }] } });
    }
  });

  test('is any https page where the operator says so', async () => {
    house.settings['REDIRECT_ALLOWLIST'] = '*';
    expect((await ask('https://anywhere.example.net/')).status).toBe(200);
  });

  test.each([
    'http://app.example.com/',
    'http://localhost:8080/',
    'javascript:alert(1)',
    '//app.example.com',
    'app',
    7,
    ['https://a.b'],
  ])('is never %j', async url => {
    house.settings['REDIRECT_ALLOWLIST'] = '*';
    expect(await ask(url)).toMatchObject({ status: 400, body: { details: [{ field: 'redirect_url' }] } });
  });
});
