import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { jobOf } from '../../shared/delivery/job.ts';
import { newId } from '../../shared/model/id.ts';
import type { Profile } from '../../shared/model/profile.ts';
import type { Post } from '../../shared/model/post.ts';
import { RULES } from '../../shared/platforms/registry/rules.ts';
import { getConnection } from '../../shared/store/connections.ts';
import { createApiWorld, type ApiWorld } from '../../test/support/api-world.ts';
import { routes as profileRoutes } from '../profiles/routes.ts';
import { routes } from './routes.ts';

let world: ApiWorld;
let profile: Profile;
beforeEach(async () => {
  world = await createApiWorld([...routes, ...profileRoutes]);
  profile = await world.profile({ profile_name: 'Acme' });
});
afterEach(() => world.close());

const list = (as = world.owner) => world.call('GET /integrations', { as });
const targets = (
  platform: string,
  query: Record<string, string> = { profile_name: 'Acme' },
  as = world.owner,
) => world.call('GET /integrations/{platform}/targets', { params: { platform }, query, as });
const update = (id: string, body: unknown, as = world.owner) =>
  world.call('PATCH /integrations/{id}', { params: { id }, body, as });
const disconnect = (id: string, as = world.owner) =>
  world.call('DELETE /integrations/{id}', { params: { id }, as });
const connect = (platform: string, body: unknown) =>
  world.call('POST /integrations/{platform}/connect', { params: { platform }, body });

describe('GET /integrations', () => {
  test('shows accounts without secrets', async () => {
    const account = await world.connect(profile, 'telegram');
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

  test('shows no account of a deleted profile or of another workspace', async () => {
    await world.connect(profile, 'telegram');
    expect((await list(await world.stranger())).body.accounts).toEqual([]);
    await world.call('DELETE /agency/profiles/{id}', { params: { id: profile.id } });
    expect((await list()).body.accounts).toEqual([]);
  });
});

describe('GET /integrations/{platform}/targets', () => {
  test('answers an empty list for a platform without targets', async () => {
    expect(await targets('x')).toEqual({ status: 200, headers: {}, body: { targets: [], total: 0 } });
  });

  test('answers 404 for an unknown platform or profile, 400 without a profile', async () => {
    expect(await targets('myspace')).toMatchObject({ status: 404, body: { error: 'Platform not found' } });
    expect(await targets('x', { profile_name: 'Nobody' })).toMatchObject({
      status: 404,
      body: { error: 'Profile not found' },
    });
    expect(await targets('x', {})).toMatchObject({
      status: 400,
      body: { details: [{ field: 'profile_name' }] },
    });
    expect((await targets('x', { profile_name: 'Acme' }, await world.stranger())).status).toBe(404);
  });
});

describe('PATCH /integrations/{id}', () => {
  test.each([undefined, '', '  ', 5, ['p1'], 'p3', 'x'.repeat(201)])(
    'answers 400 for the target %j',
    async default_target_id => {
      const account = await world.connect(profile, 'telegram');
      expect(await update(account.id, { default_target_id })).toMatchObject({
        status: 400,
        body: { details: [{ field: 'default_target_id' }] },
      });
    },
  );

  test('answers 404 for an unknown account', async () => {
    expect((await update(newId(), { default_target_id: null })).status).toBe(404);
  });

  test('passes the chosen target on to the publisher until it is removed', async () => {
    const account = await world.connect(profile, 'telegram', { default_target_id: 'p2' });
    expect(jobOf(RULES.telegram, post(), account).account.attributes).toEqual({ default_target_id: 'p2' });
    expect((await update(account.id, { default_target_id: null })).body.account).toMatchObject({
      id: account.id,
      default_target_id: null,
    });
    const cleared = (await getConnection(world.table, profile.workspace_id, profile.id, 'telegram'))!;
    expect(jobOf(RULES.telegram, post(), cleared).account.attributes).toEqual({});
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
  test('answers 400 with every validation error of the platform', async () => {
    const body = { profile_name: 'Acme', identifier: '', app_password: 7 };
    const { status, body: answer } = await connect('bluesky', body);
    expect(status).toBe(400);
    expect(answer.details).toEqual([
      { field: 'identifier', message: 'identifier must not be empty', platform: 'bluesky' },
      { field: 'app_password', message: 'app_password must be a string', platform: 'bluesky' },
    ]);
  });
});

describe('DELETE /integrations/{id}', () => {
  test('disconnects an account of the own workspace only', async () => {
    const { id } = await world.connect(profile, 'telegram');
    const stranger = await world.stranger();
    expect((await disconnect(id, stranger)).status).toBe(404);
    expect((await update(id, { default_target_id: null }, stranger)).status).toBe(404);
    expect((await disconnect(id)).status).toBe(204);
    expect((await disconnect(id)).status).toBe(404);
  });
});

describe('redirect_url', () => {
  const ask = (redirect_url: unknown) => connect('x', { profile_name: 'Acme', redirect_url });
  beforeEach(async () => {
    const ssm = await world.services.ssm;
    ssm.send = () => Promise.resolve({ Parameter: { Value: '{"client_id":"a","client_secret":"b"}' } });
  });

  test('is refused unless the operator allows its origin', async () => {
    expect(await ask('https://app.example.com/done?x=1')).toMatchObject({
      status: 400,
      body: { details: [{ field: 'redirect_url', message: expect.stringContaining('redirectAllowlist') }] },
    });
    expect((await ask(undefined)).status).toBe(200);
    world.settings['REDIRECT_ALLOWLIST'] = 'https://app.example.com,https://admin.example.com';
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

  test('may be any https page when the operator allows all origins', async () => {
    world.settings['REDIRECT_ALLOWLIST'] = '*';
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
  ])('is refused when it is %j', async url => {
    world.settings['REDIRECT_ALLOWLIST'] = '*';
    expect(await ask(url)).toMatchObject({ status: 400, body: { details: [{ field: 'redirect_url' }] } });
  });
});
