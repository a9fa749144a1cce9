import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { disconnectAccount } from '../../shared/connections/disconnect.ts';
import { withFreshFacts } from '../../shared/connections/facts.ts';
import { loadAccount } from '../../shared/connections/load.ts';
import { loadFreshAccount, renewAccount, renewIfDue } from '../../shared/connections/renew.ts';
import { readDueMetrics } from '../../shared/insights/read-metrics.ts';
import type { Connection, Profile } from '../../shared/model/profile.ts';
import type { HttpClient } from '../../shared/net/http.ts';
import { getConnection, markNeedsReconnect, saveCredentials } from '../../shared/store/connections.ts';
import { getMetricsReadings, putDue } from '../../shared/store/insights.ts';
import { listTargets } from '../../shared/store/targets.ts';
import { DAY, HOUR, MINUTE } from '../../shared/time/instant.ts';
import { createApiWorld, type ApiWorld } from '../../test/support/api-world.ts';
import {
  fakeConnector,
  FAKE_PLATFORM,
  page,
  platformError,
  register,
  sixtyDays,
} from '../../test/support/fake-connector.ts';
import { deletePlatformApp, getPlatformApp, putPlatformApp } from '../workspace/platform-apps.ts';
import { lookupRoutes } from './lookups.ts';
import { routes } from './routes.ts';

/* What a connector may have beyond those of X, Bluesky and Telegram, shown with a fake one. */

const STACK_APP = { client_id: 'stack', client_secret: 'stack-secret', kind: 'community' };

let world: ApiWorld;
let profile: Profile;
let fake: ReturnType<typeof fakeConnector>;
let unregister: () => void;

beforeEach(async () => {
  world = await createApiWorld([...routes, putPlatformApp, getPlatformApp, deletePlatformApp]);
  const ssm = await world.services.ssm;
  ssm.send = () => Promise.resolve({ Parameter: { Value: JSON.stringify(STACK_APP) } });
  profile = await world.profile({ profile_name: 'Acme' });
  fake = fakeConnector();
  unregister = register(fake.connector);
});
afterEach(() => {
  unregister();
  return world.close();
});

const params = { platform: FAKE_PLATFORM };

const startConnect = (body: Record<string, unknown> = {}) =>
  world.call('POST /integrations/{platform}/connect', { params, body: { profile_name: 'Acme', ...body } });

const comeBack = (state: string, code: string) =>
  world.call('GET /integrations/{platform}/callback', { params, query: { state, code } });

/** Connects the account of a user and returns the account as the API shows it. */
async function connect(user = 'ann', body: Record<string, unknown> = {}) {
  const { state } = (await startConnect(body)).body;
  const { status, body: answer } = await comeBack(state, user);
  expect(status).toBe(200);
  return answer.account;
}

async function stored(): Promise<Connection> {
  const connection = await getConnection(world.table, profile.workspace_id, profile.id, FAKE_PLATFORM);
  if (!connection) throw new Error('The account is not connected');
  return connection;
}

const account = async () => (await world.call('GET /integrations')).body.accounts[0];
const targets = () =>
  world.call('GET /integrations/{platform}/targets', { params, query: { profile_name: 'Acme' } });
const chooseTarget = (id: string, default_target_id: string | null) =>
  world.call('PATCH /integrations/{id}', { params: { id }, body: { default_target_id } });
const calls = (name: string) => fake.state.calls.filter(call => call === name).length;

async function tableText(): Promise<string> {
  const { Items } = await world.table.client.send(new ScanCommand({ TableName: world.table.name }));
  return JSON.stringify(Items);
}

const refusal = platformError('token_expired');

describe('ways of connecting', () => {
  test('uses the first way by default and another when the body names it', async () => {
    expect((await startConnect()).body.authorize_url).toMatch(/^https:\/\/fake\.example\/personal\?/);
    const { authorize_url } = (await startConnect({ way: 'business' })).body;
    expect(authorize_url).toMatch(/^https:\/\/fake\.example\/business\?/);
    expect(await connect('ann', { way: 'business' })).toMatchObject({
      way: 'business',
      scopes: ['business.publish'],
    });
  });

  test('answers 400 for an unknown way and lists the ways', async () => {
    const { status, body } = await startConnect({ way: 'corporate' });
    expect(status).toBe(400);
    expect(body.details).toEqual([
      { field: 'way', message: 'way must be one of: personal, business', platform: FAKE_PLATFORM },
    ]);
  });
});

describe('a person who comes back without a page of the caller', () => {
  const comeBackInBrowser = async (state: string, code?: string) => {
    const answer = await world.call('GET /integrations/{platform}/callback', {
      params,
      query: code === undefined ? { state, error: 'access_denied' } : { state, code },
      headers: { accept: 'text/html' },
    });
    return { status: answer.status, page: answer.body };
  };

  test('gets a page that says what became of the connection', async () => {
    const { state } = (await startConnect()).body;
    const connected = await comeBackInBrowser(state, 'ann');
    expect(connected.status).toBe(200);
    expect(connected.page).toContain('<h1>Instagram is connected</h1>');
    const again = await comeBackInBrowser(state, 'ann');
    expect(again).toMatchObject({ status: 400, page: expect.stringContaining('<h1>Not connected</h1>') });
    const denied = await comeBackInBrowser((await startConnect()).body.state);
    expect(denied).toMatchObject({ status: 400, page: expect.stringContaining('Reason: access_denied') });
  });
});

describe('grants', () => {
  test('are refused when they are incomplete, and leave the connected account as it is', async () => {
    await connect('ann');
    const before = await stored();
    fake.state.grant = { user_token: '' };
    const { state } = (await startConnect()).body;
    expect(await comeBack(state, 'ann')).toMatchObject({
      status: 400,
      body: { status: 'failed', reason: 'permission_missing' },
    });
    expect(await stored()).toEqual(before);
  });

  test('replace all credentials of the same account', async () => {
    const { id } = await connect('ann');
    const before = await stored();
    fake.state.grant = { user_token: 'new user token' };
    expect(await connect('ann')).toMatchObject({ id });
    const { credentials, connection } = await loadAccount(world.services, await stored());
    expect(credentials).toEqual({ user_token: 'new user token', generation: 1 });
    expect(connection.revision).toBeGreaterThan(before.revision);
  });

  test('are not undone by a worker whose credentials were renewed while the grant was stored', async () => {
    await connect('ann');
    const before = await stored();
    const { table } = world.services;
    let renewed: Connection | null = null;
    const send = async (command: PutCommand) => {
      if (command instanceof PutCommand && command.input.Item?.['connected_at'] !== undefined) {
        await saveCredentials(table, before, before);
        renewed = await stored();
      }
      return table.client.send(command);
    };
    Object.assign(world.services, { table: { ...table, client: { send } } });
    world.clock.now += MINUTE;
    await connect('ann');
    expect(renewed).toMatchObject({ revision: before.revision + 1 });
    expect(await markNeedsReconnect(table, renewed!, { at: 1, message: 'The old token' })).toBe(false);
    expect(await stored()).toMatchObject({ needs_reconnect: false });
  });
});

describe('targets', () => {
  test('are required by one way only', async () => {
    expect(await connect('ann')).toMatchObject({ needs_target: false, default_target_id: null });
    expect(calls('listTargets')).toBe(0);
    expect(await connect('ann', { way: 'business' })).toMatchObject({ needs_target: true });
  });

  test('leave needs_target true until one of several is chosen', async () => {
    const { id } = await connect('ann', { way: 'business' });
    expect(await account()).toMatchObject({ needs_target: true, default_target_id: null });
    expect((await chooseTarget(id, 'p2')).body.account).toMatchObject({
      needs_target: false,
      default_target_id: 'p2',
    });
    expect((await targets()).body).toEqual({
      targets: [
        { id: 'p1', name: 'Page p1', is_default: false },
        { id: 'p2', name: 'Page p2', is_default: true },
      ],
      total: 2,
    });
    expect((await chooseTarget(id, null)).body.account).toMatchObject({ needs_target: true });
  });

  test('become the default when there is exactly one', async () => {
    fake.state.pages = [page('only')];
    expect(await connect('ann', { way: 'business' })).toMatchObject({
      needs_target: false,
      default_target_id: 'only',
    });
  });

  test('are looked for at the platform when the chosen one is not stored', async () => {
    const { id } = await connect('ann', { way: 'business' });
    fake.state.pages = [...fake.state.pages, page('new')];
    expect((await chooseTarget(id, 'new')).status).toBe(200);
    expect(await chooseTarget(id, 'unknown')).toMatchObject({
      status: 400,
      body: { details: [{ field: 'default_target_id', platform: FAKE_PLATFORM }] },
    });
  });

  test('are loaded with their secrets, which are stored sealed', async () => {
    await connect('ann', { way: 'business' });
    const loaded = await loadFreshAccount(world.services, await stored(), 'p1');
    expect(loaded.target).toEqual(page('p1'));
    expect(loaded.credentials).toEqual({ user_token: 'user token of ann', generation: 1 });
    const text = await tableText();
    expect(text).toContain('Page p1');
    expect(text).not.toContain('page token');
    expect(text).not.toContain('user token');
    expect(text).not.toContain('stack-secret');
  });

  test('are loaded again when the account was reconnected meanwhile', async () => {
    await connect('ann', { way: 'business' });
    const loaded = await loadFreshAccount(world.services, await stored(), 'p1');
    const secrets = { page_token: 'page token of the new login' };
    fake.state.pages = [{ ...page('p1'), secrets }];
    await connect('ann', { way: 'business' });
    expect((await renewAccount(world.services, loaded, refusal)).target).toMatchObject({ secrets });
  });

  test('cannot be loaded when the account does not have them', async () => {
    await connect('ann', { way: 'business' });
    await expect(loadAccount(world.services, await stored(), 'p9')).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
    });
  });

  test('unset the default when it is gone, and are deleted with the account', async () => {
    const { id } = await connect('ann', { way: 'business' });
    await chooseTarget(id, 'p2');
    fake.state.pages = [page('p1'), page('p3')];
    await targets();
    expect(await account()).toMatchObject({ needs_target: true, default_target_id: null });
    expect(await listTargets(world.table, await stored())).toHaveLength(2);
    const connection = await stored();
    await disconnectAccount(world.services, connection);
    expect(await listTargets(world.table, connection)).toEqual([]);
  });

  test('can be listed later when the platform does not answer during the connect', async () => {
    fake.state.errors.set('listTargets', platformError('transient'));
    expect(await connect('ann', { way: 'business' })).toMatchObject({ needs_target: true });
    expect((await targets()).body.total).toBe(2);
  });

  test('keep the default of the same account connected again; another account has none', async () => {
    const { id } = await connect('ann', { way: 'business' });
    await chooseTarget(id, 'p2');
    expect(await connect('ann', { way: 'business' })).toMatchObject({ id, default_target_id: 'p2' });
    const before = await stored();
    expect(await connect('bob', { way: 'business' })).toMatchObject({ default_target_id: null });
    expect(await listTargets(world.table, before)).toEqual([]);
  });
});

describe('renewal', () => {
  test('does not start before renew_at', async () => {
    await connect();
    const { revision } = await stored();
    world.clock.now += DAY - 1;
    await renewIfDue(world.services, await stored());
    expect(calls('renew')).toBe(0);
    world.clock.now += 1;
    await renewIfDue(world.services, await stored());
    expect(calls('renew')).toBe(1);
    const { credentials, connection } = await loadAccount(world.services, await stored());
    expect(credentials).toEqual({ user_token: 'user token of ann', generation: 2 });
    expect(connection).toMatchObject({ revision: revision + 1, renew_at: world.clock.now + DAY });
  });

  test('does not start before use when the token expires before renew_at', async () => {
    fake.state.lifetime = now => ({ renew_at: now + DAY, expires_at: now + 4 * MINUTE });
    await connect();
    await loadFreshAccount(world.services, await stored());
    expect(calls('renew')).toBe(0);
  });

  test('is not tried with a refused token where only a valid one can be renewed', async () => {
    await connect();
    world.clock.now += 2 * DAY;
    const loaded = await loadAccount(world.services, await stored());
    await expect(renewAccount(world.services, loaded, refusal)).rejects.toBe(refusal);
    expect(calls('renew')).toBe(0);
    expect(await account()).toMatchObject({ needs_reconnect: true, active: false });
  });

  test('happens once for 20 concurrent callers', async () => {
    fake.state.lifetime = now => ({ renew_at: now + 1, expires_at: now + 2 * MINUTE });
    await connect();
    fake.state.lifetime = sixtyDays;
    world.clock.now += 30_000;
    const connection = await stored();
    const loaded = await Promise.all(
      Array.from({ length: 20 }, () => loadFreshAccount(world.services, connection)),
    );
    expect(calls('renew')).toBe(1);
    expect(loaded.map(({ credentials }) => credentials['generation'])).toEqual(Array(20).fill(2));
  });
});

describe('tokens that cannot be renewed', () => {
  beforeEach(async () => {
    fake.state.lifetime = now => ({ renew_at: null, expires_at: now + 60 * DAY });
    await connect();
  });

  test('are used until they expire, with a warning in the last week', async () => {
    world.clock.now += 53 * DAY - 1;
    expect(await account()).toMatchObject({ active: true, warnings: [] });
    world.clock.now += 1;
    expect(await account()).toMatchObject({
      active: true,
      needs_reconnect: false,
      warnings: [{ code: 'EXPIRES_SOON', message: expect.stringContaining('2027-01-30T10:00:00.000Z') }],
    });
    world.clock.now += 7 * DAY - 1;
    await expect(loadFreshAccount(world.services, await stored())).resolves.toBeDefined();
    expect(calls('renew')).toBe(0);
  });

  test('require a reconnect when they have expired', async () => {
    world.clock.now += 60 * DAY;
    expect(await account()).toMatchObject({ active: false, needs_reconnect: true, warnings: [] });
    await expect(loadFreshAccount(world.services, await stored())).rejects.toMatchObject({
      kind: 'token_expired',
    });
    expect((await stored()).needs_reconnect).toBe(true);
    expect(await connect()).toMatchObject({ active: true, needs_reconnect: false });
  });
});

test('a grant that ends although its tokens are renewed has a warning in its last two weeks', async () => {
  fake.state.attributes = { grant_ends_at: '2027-01-30T10:00:00.000Z' };
  fake.state.lifetime = now => ({ renew_at: now + 100 * DAY, expires_at: now + 200 * DAY });
  await connect();
  world.clock.now += 46 * DAY - 1;
  expect(await account()).toMatchObject({ active: true, warnings: [] });
  world.clock.now += 1;
  expect(await account()).toMatchObject({
    active: true,
    warnings: [{ code: 'EXPIRES_SOON', message: expect.stringContaining('2027-01-30T10:00:00.000Z') }],
  });
});

test('tokens that never expire are used without renewal or warning', async () => {
  fake.state.lifetime = () => ({ renew_at: null, expires_at: null });
  await connect();
  world.clock.now += 900 * DAY;
  expect(await account()).toMatchObject({ active: true, token_expires_at: null, warnings: [] });
  await expect(loadFreshAccount(world.services, await stored())).resolves.toBeDefined();
  await renewIfDue(world.services, await stored());
  expect(calls('renew')).toBe(0);
});

describe('platform apps of a workspace', () => {
  const OWN = { client_id: 'own', client_secret: 'own-secret' };
  const put = (body: unknown, as = world.owner) =>
    world.call('PUT /workspace/platform-apps/{platform}', { params, body, as });
  const get = (as = world.owner) => world.call('GET /workspace/platform-apps/{platform}', { params, as });
  const remove = (as = world.owner) =>
    world.call('DELETE /workspace/platform-apps/{platform}', { params, as });
  const appInUse = async () => (await loadAccount(world.services, await stored())).app;

  test('show the id and never the secret', async () => {
    const app = {
      platform: FAKE_PLATFORM,
      client_id: 'own',
      fields: { kind: 'self_serve' },
      updated_at: '2026-12-01T10:00:00.000Z',
    };
    expect(await put(OWN)).toMatchObject({ status: 200, body: { platform_app: app } });
    expect((await get()).body).toEqual({ platform_app: app });
    expect(await tableText()).not.toContain('own-secret');
    expect((await remove()).status).toBe(204);
    expect([(await get()).status, (await remove()).status]).toEqual([404, 404]);
  });

  test('can be set, read and removed by owners only', async () => {
    const member = await world.member();
    await put(OWN);
    const answers = [await put(OWN, member), await get(member), await remove(member)];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect((await get(await world.stranger())).status).toBe(404);
  });

  test.each([
    {},
    { client_id: '', client_secret: 's' },
    { client_id: 'a' },
    { client_id: 1, client_secret: 's' },
  ])('answers 400 to %j', async body => {
    expect((await put(body)).status).toBe(400);
  });

  test('are stored only where the platform does not refuse them', async () => {
    fake.state.errors.set('checkApp', platformError('rejected'));
    expect(await put(OWN)).toMatchObject({
      status: 400,
      body: { details: [{ field: 'client_secret', message: 'no', platform: FAKE_PLATFORM }] },
    });
    expect((await get()).status).toBe(404);
    fake.state.errors.set('checkApp', platformError('transient'));
    expect((await put(OWN)).status).toBe(200);
  });

  test('answers 400 for a platform without apps', async () => {
    const answer = await world.call('PUT /workspace/platform-apps/{platform}', {
      params: { platform: 'telegram' },
      body: OWN,
    });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ platform: 'telegram' }] } });
  });

  test('are used for new connections instead of the app of the stack', async () => {
    expect((await startConnect()).body.authorize_url).toContain('client_id=stack');
    expect(await connect('ann')).toMatchObject({ own_app: false });
    expect(await appInUse()).toEqual(STACK_APP);
    await put(OWN);
    expect((await startConnect()).body.authorize_url).toContain('client_id=own');
    expect(await connect('ann')).toMatchObject({ own_app: true });
    expect(fake.state.apps.at(-1)).toBe('own:own-secret');
    expect(await appInUse()).toEqual({ ...OWN, kind: 'self_serve' });
  });

  test('are kept by the connections made with them', async () => {
    await put(OWN);
    await connect('ann');
    await put({ client_id: 'next', client_secret: 'next-secret' });
    expect(await appInUse()).toMatchObject(OWN);
    await remove();
    expect(await appInUse()).toMatchObject(OWN);
    world.clock.now += DAY;
    await renewIfDue(world.services, await stored());
    await disconnectAccount(world.services, await stored());
    expect(fake.state.apps).toEqual(['own:own-secret', 'own:own-secret', 'own:own-secret']);
  });

  test('are used with a new secret at once', async () => {
    await put(OWN);
    await connect('ann');
    await put({ ...OWN, client_secret: 'rotated' });
    expect(await appInUse()).toMatchObject({ client_id: 'own', client_secret: 'rotated' });
  });

  test('that change during the consent do not change the app of the exchange', async () => {
    await put(OWN);
    const { state } = (await startConnect()).body;
    await put({ client_id: 'next', client_secret: 'next-secret' });
    expect((await comeBack(state, 'ann')).status).toBe(200);
    expect(fake.state.apps).toEqual(['own:own-secret']);
  });
});

describe('lookups', () => {
  const look = (query: Record<string, string> = {}, principal = world.owner) => {
    const [route] = lookupRoutes({ [FAKE_PLATFORM]: [fake.lookup] });
    if (!route) throw new Error('The lookup has no route');
    const raw = { params: {}, query: { profile_name: 'Acme', ...query }, body: undefined, principal };
    return route.invoke({ ...raw, request_id: 'r', headers: {}, base_url: '' }, world.services);
  };

  test('become documented routes of the platform', () => {
    const [route] = lookupRoutes({ [FAKE_PLATFORM]: [fake.lookup] });
    expect(route).toMatchObject({
      method: 'GET',
      path: '/integrations/instagram/boards',
      operation_id: 'listFakeBoards',
      auth: 'key',
    });
  });

  test('run with credentials, app, default target and parsed parameters', async () => {
    fake.state.pages = [page('only')];
    await connect('ann', { way: 'business' });
    expect(await look({ filter: 'secret' })).toEqual({
      status: 200,
      body: { boards: ['secret board'], of: 'user token of ann', target: 'only' },
    });
    expect(fake.state.apps.at(-1)).toBe('stack:stack-secret');
  });

  test('answer 400 for wrong parameters and 404 without an account', async () => {
    await expect(look()).rejects.toMatchObject({ response: { status: 404 } });
    await connect();
    await expect(look({ filter: 'x' })).rejects.toMatchObject({ response: { status: 400 } });
    await expect(look({}, await world.stranger())).rejects.toMatchObject({ response: { status: 404 } });
  });

  test('answer 503 when the platform does not answer', async () => {
    await connect();
    fake.state.errors.set('lookup', platformError('transient'));
    await expect(look()).rejects.toMatchObject({ response: { status: 503 } });
  });
});

describe('account facts', () => {
  test('are read again when they are older than the platform allows', async () => {
    await connect();
    const connection = await withFreshFacts(world.services, await stored());
    expect(connection.attributes).toEqual({ tier: 'basic' });
    expect(await stored()).toMatchObject({ attributes: { tier: 'basic' }, facts_at: world.clock.now });
    world.clock.now += DAY - 1;
    await withFreshFacts(world.services, await stored());
    expect(calls('facts')).toBe(1);
    fake.state.facts = { tier: 'premium' };
    world.clock.now += 1;
    expect((await withFreshFacts(world.services, await stored())).attributes).toEqual({ tier: 'premium' });
  });

  test('are used as they are when the platform does not answer', async () => {
    await connect();
    fake.state.errors.set('facts', platformError('transient'));
    expect((await withFreshFacts(world.services, await stored())).attributes).toEqual({ tier: 'unknown' });
  });

  test('do not touch the credentials', async () => {
    await connect();
    const before = await stored();
    await withFreshFacts(world.services, before);
    expect(await stored()).toMatchObject({ sealed: before.sealed, revision: before.revision });
  });
});

describe('insights', () => {
  test('are read with the app and the target of each post, the last time after a week', async () => {
    const { id } = await connect('ann', { way: 'business' });
    await chooseTarget(id, 'p1');
    const published_at = world.clock.now;
    const due = {
      workspace_id: profile.workspace_id,
      profile_id: profile.id,
      account_id: id as string,
      platform: FAKE_PLATFORM,
      published_at,
      due_at: published_at + 7 * DAY,
      index: 2,
      failures: 0,
    } as const;
    await putDue(world.table, { ...due, post_id: 'a', platform_post_id: 'A', target_id: null });
    await putDue(world.table, { ...due, post_id: 'b', platform_post_id: 'B', target_id: 'p2' });
    const read = () =>
      readDueMetrics({
        services: world.services,
        readers: { [FAKE_PLATFORM]: () => Promise.resolve(fake.insights) },
        http: null as unknown as HttpClient,
        hasTime: () => true,
      });
    world.clock.now += 7 * DAY - HOUR;
    expect(await read()).toBe(0);
    world.clock.now += HOUR;
    expect(await read()).toBe(2);
    expect(fake.state.calls.filter(call => call.startsWith('read')).sort()).toEqual([
      'read of user token of ann on p1',
      'read of user token of ann on p2',
    ]);
    expect(fake.state.apps.slice(-2)).toEqual(['stack:stack-secret', 'stack:stack-secret']);
    const refs = ['a', 'b'].map(post_id => ({ post_id, platform: FAKE_PLATFORM, published_at }) as const);
    expect(await getMetricsReadings(world.table, profile.workspace_id, profile.id, refs)).toHaveLength(2);
    world.clock.now += 30 * DAY;
    expect(await read()).toBe(0);
  });
});
