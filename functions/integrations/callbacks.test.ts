import type { SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiWorld, type ApiWorld } from '../../test/support/api-world.ts';
import type { Connection } from '../../shared/model/profile.ts';
import { signedRequest } from '../../shared/platforms/families/meta/sandbox/signed-request.ts';
import { getConnection } from '../../shared/store/connections.ts';
import { connectionsOfUser, putPlatformUser } from '../../shared/store/platform-users.ts';
import { getTarget, replaceTargets } from '../../shared/store/targets.ts';
import { sealApp } from '../../shared/connections/apps.ts';
import { loadAccount } from '../../shared/connections/load.ts';
import { routes } from './routes.ts';

const SECRET = 'meta-secret';
const USER = '12210000000000000001';
const FACEBOOK = { space: 'facebook', id: USER };
const DEAUTHORIZE = 'POST /integrations/{platform}/deauthorize';
const DELETE = 'POST /integrations/{platform}/data-deletion';

const before = { ...process.env };
beforeAll(() => {
  // Nothing listens there: revoking tokens fails, as it may.
  Object.assign(process.env, { SANDBOX_URL: 'http://127.0.0.1:1', ALLOW_LOOPBACK: '1' });
});
afterAll(() => {
  for (const name of ['SANDBOX_URL', 'ALLOW_LOOPBACK']) {
    if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = before[name];
  }
});

let world: ApiWorld;
let account: Connection;
beforeEach(async () => {
  world = await createApiWorld(routes);
  const app = JSON.stringify({ client_id: '1', client_secret: SECRET });
  const ssm = { send: () => Promise.resolve({ Parameter: { Value: app } }) } as unknown as SSMClient;
  Object.assign(world.services, { ssm });
  account = await connect();
});
afterEach(() => world.close());

async function connect(changes: Partial<Connection> = {}): Promise<Connection> {
  const made = await world.connect(await world.profile(), 'facebook', { platform_user_id: USER, ...changes });
  await putPlatformUser(world.table, FACEBOOK, made);
  await replaceTargets(world.table, made, [{ id: '7', name: 'Page', attributes: {}, sealed: 'sealed' }]);
  return made;
}

const stored = ({ workspace_id, profile_id }: Connection) =>
  getConnection(world.table, workspace_id, profile_id, 'facebook');
/** Issued after the accounts were connected. */
const payload = { algorithm: 'HMAC-SHA256', user_id: USER, issued_at: Date.UTC(2026, 11, 1, 11) / 1000 };
const send = (route: string, signed: string, platform = 'facebook') =>
  world.call(route, { params: { platform }, body: { signed_request: signed } });

describe('a user who removed the app at Facebook', () => {
  test.each([
    ['a request', signedRequest(payload, SECRET)],
    ['a padded request', signedRequest(payload, SECRET, { padded: true })],
    ['a numeric id', signedRequest(`{"algorithm":"HMAC-SHA256","user_id":${USER}}`, SECRET)],
  ])('must reconnect all accounts after %s', async (_, signed) => {
    const other = await connect();
    expect(await send(DEAUTHORIZE, signed)).toMatchObject({ status: 200, body: { success: true } });
    for (const each of [account, other]) {
      expect(await stored(each)).toMatchObject({ needs_reconnect: true });
      expect(await getTarget(world.table, each, '7')).toBeNull();
      await expect(loadAccount(world.services, (await stored(each))!)).rejects.toMatchObject({
        kind: 'token_expired',
      });
    }
    expect((await send(DEAUTHORIZE, signed)).status).toBe(200);
  });

  test.each([
    ['another secret', signedRequest(payload, 'other')],
    ['a changed payload', `${signedRequest(payload, SECRET)}A`],
    ['no signature', 'abc'],
  ])('is not believed with %s', async (_, signed) => {
    expect(await send(DEAUTHORIZE, signed)).toMatchObject({ status: 400, body: { code: 'BAD_SIGNATURE' } });
    expect(await stored(account)).toMatchObject({ needs_reconnect: false });
  });

  test("keeps an account of a workspace's own app, which another app cannot name", async () => {
    const own = await connect();
    const app = await sealApp(world.services, own.id, { client_id: '2', client_secret: 'own-secret' });
    const withApp = await world.connect(await world.profile(), 'facebook', {
      platform_user_id: USER,
      id: own.id,
      app,
    });
    await putPlatformUser(world.table, FACEBOOK, withApp);
    await send(DEAUTHORIZE, signedRequest(payload, SECRET));
    expect(await stored(withApp)).toMatchObject({ needs_reconnect: false });
    expect(await send(DEAUTHORIZE, signedRequest(payload, 'own-secret'))).toMatchObject({ status: 200 });
    expect(await stored(withApp)).toMatchObject({ needs_reconnect: true });
  });

  test.each([
    ['deauthorization', DEAUTHORIZE],
    ['deletion', DELETE],
  ])('keeps an account that was connected after a late or repeated %s', async (_, route) => {
    const issued_at = account.connected_at / 1000 - 120;
    const { status } = await send(route, signedRequest({ ...payload, issued_at }, SECRET));
    expect(status).toBe(200);
    expect(await stored(account)).toMatchObject({ needs_reconnect: false });
  });

  test('may have no account any more', async () => {
    const signed = signedRequest({ ...payload, user_id: '99' }, SECRET);
    expect((await send(DEAUTHORIZE, signed)).status).toBe(200);
  });
});

test('a user who wants the data deleted gets a page that says so', async () => {
  const { status, body } = await send(DELETE, signedRequest(payload, SECRET));
  expect([status, body]).toEqual([
    200,
    {
      url: `https://api.example.com/v1/integrations/facebook/data-deletion/${body.confirmation_code}`,
      confirmation_code: expect.any(String),
    },
  ]);
  expect(await stored(account)).toBeNull();
  expect(await getTarget(world.table, account, '7')).toBeNull();
  expect(await connectionsOfUser(world.table, FACEBOOK)).toEqual([]);

  const page = (code: string) =>
    world.call('GET /integrations/{platform}/data-deletion/{code}', {
      params: { platform: 'facebook', code },
    });
  expect(await page(body.confirmation_code)).toMatchObject({ status: 200, body: { status: 'deleted' } });
  expect((await page('1.2')).status).toBe(404);
});

test.each([
  ['a platform without callbacks', 'x', 400],
  ['an unknown platform', 'nowhere', 404],
])('%s is refused', async (_, platform, status) => {
  expect((await send(DEAUTHORIZE, signedRequest(payload, SECRET), platform)).status).toBe(status);
});
