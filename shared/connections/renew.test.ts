import type { SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { seal } from '../aws/key-ring.ts';
import type { Connection } from '../model/profile.ts';
import { getConnection, saveCredentials, acquireRenewalLease } from '../store/connections.ts';
import { createApiWorld, type ApiWorld } from '../../test/support/api-world.ts';
import { recorder, type Reply } from '../../test/support/recorder.ts';
import { loadAccount } from './load.ts';
import { hasValidCredentials, loadFreshAccount } from './renew.ts';

let world: ApiWorld;
let platform: Awaited<ReturnType<typeof recorder>>;
let reply: () => Reply | Promise<Reply>;
const before = { ...process.env };

beforeAll(async () => {
  platform = await recorder(() => reply());
  process.env['SANDBOX_URL'] = platform.url;
  process.env['ALLOW_LOOPBACK'] = '1';
});
afterAll(async () => {
  for (const name of ['SANDBOX_URL', 'ALLOW_LOOPBACK']) {
    if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = before[name];
  }
  await platform.close();
});
beforeEach(async () => {
  world = await createApiWorld([]);
  const app = { Parameter: { Value: '{"client_id":"a","client_secret":"b"}' } };
  world.services = { ...world.services, ssm: { send: () => Promise.resolve(app) } as unknown as SSMClient };
  platform.requests.length = 0;
  reply = () => ({ body: fresh(1) });
});
afterEach(() => world.close());

const fresh = (n: number, more: Record<string, unknown> = {}) => ({
  access_token: `access ${n}`,
  refresh_token: `refresh ${n}`,
  expires_in: 7200,
  scope: '',
  ...more,
});
const invalidToken: Reply = {
  status: 400,
  body: { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' },
};

/** An X account whose access token has expired. */
async function expired(): Promise<Connection> {
  return world.connect(await world.profile(), 'x', {
    token_expires_at: world.clock.now - 1,
    renew_at: world.clock.now - 1,
  });
}
const stored = async ({ workspace_id, profile_id }: Connection) =>
  (await getConnection(world.table, workspace_id, profile_id, 'x'))!;

describe('an expired token with a rotating refresh token', () => {
  test('is renewed once for 50 concurrent callers', async () => {
    const connection = await expired();
    const accounts = await Promise.all(
      Array.from({ length: 50 }, () => loadFreshAccount(world.services, connection)),
    );
    expect(platform.requests).toEqual(['POST /x/api.x.com/2/oauth2/token']);
    expect(new Set(accounts.map(({ credentials }) => credentials['access_token']))).toEqual(
      new Set(['access 1']),
    );
    const { credentials, connection: now } = await loadAccount(world.services, await stored(connection));
    expect(credentials).toEqual({ access_token: 'access 1', refresh_token: 'refresh 1' });
    expect(now).toMatchObject({ revision: 2, renewal_lease_until: null, needs_reconnect: false });
  });

  test('costs waiting callers no writes', async () => {
    const connection = await expired();
    const { table, now } = world.services;
    await acquireRenewalLease(table, connection, now(), now() + 60_000);
    const sent: string[] = [];
    const waiting = {
      ...world.services,
      table: {
        ...table,
        client: {
          send: async (command: never) => {
            sent.push((command as object).constructor.name);
            // After the second poll the lease holder stores the new token.
            if (sent.length === 2) {
              const changed = {
                sealed: connection.sealed,
                token_expires_at: now() + 7_200_000,
                renew_at: now() + 5_000_000,
              };
              await saveCredentials(table, connection, changed);
            }
            return table.client.send(command);
          },
        } as unknown as typeof table.client,
      },
    };
    await loadFreshAccount(waiting, connection);
    expect(new Set(sent)).toEqual(new Set(['GetCommand']));
    expect(platform.requests).toEqual([]);
  });

  test('keeps the stored refresh token when the response has none', async () => {
    reply = () => ({ body: fresh(1, { refresh_token: undefined }) });
    const connection = await expired();
    await loadFreshAccount(world.services, connection);
    const { credentials } = await loadAccount(world.services, await stored(connection));
    expect(credentials).toMatchObject({ access_token: 'access 1', refresh_token: 'r' });
  });

  test.each([{ status: 429 }, { status: 503 }, { status: 401, body: { error: 'invalid_client' } }])(
    'keeps the account when the platform answers %j',
    async response => {
      reply = () => response;
      const connection = await expired();
      await expect(loadFreshAccount(world.services, connection)).rejects.toMatchObject({
        kind: expect.stringMatching(/transient|rate_limited/),
      });
      expect(await stored(connection)).toMatchObject({ needs_reconnect: false, renewal_lease_until: null });
      reply = () => ({ body: fresh(2) });
      const { credentials } = await loadFreshAccount(world.services, connection);
      expect(credentials['access_token']).toBe('access 2');
    },
  );

  test('is renewed again when the response was lost', async () => {
    let calls = 0;
    reply = () => ((calls += 1) === 1 ? { disconnect: true } : { body: fresh(calls) });
    const connection = await expired();
    await expect(loadFreshAccount(world.services, connection)).rejects.toMatchObject({ kind: 'transient' });
    expect(await stored(connection)).toMatchObject({ needs_reconnect: false });
    expect((await loadFreshAccount(world.services, connection)).credentials['access_token']).toBe('access 2');
  });

  test('requires a reconnect when the platform does not know the refresh token', async () => {
    reply = () => invalidToken;
    const connection = await expired();
    await expect(loadFreshAccount(world.services, connection)).rejects.toMatchObject({
      kind: 'token_expired',
    });
    const now = await stored(connection);
    expect(now).toMatchObject({ needs_reconnect: true, renewal_lease_until: null });
    // The platform is not called again.
    await expect(loadFreshAccount(world.services, now)).rejects.toMatchObject({ kind: 'token_expired' });
    expect(platform.requests).toHaveLength(1);
  });

  test('requires a reconnect also when the refusal is too long to be stored', async () => {
    const connection = await expired();
    const error_description = `Value passed for the token was invalid. ${'m'.repeat(500_000)}`;
    reply = () => ({ status: 400, body: { error: 'invalid_request', error_description } });
    await expect(loadFreshAccount(world.services, connection)).rejects.toMatchObject({
      kind: 'token_expired',
    });
    const { needs_reconnect, outbox } = await stored(connection);
    expect([needs_reconnect, outbox?.message.length]).toEqual([true, 1000]);
  });

  test('requires a reconnect when the response with the rotated token was lost', async () => {
    let calls = 0;
    reply = () => ((calls += 1) === 1 ? { disconnect: true } : invalidToken);
    const connection = await expired();
    await expect(loadFreshAccount(world.services, connection)).rejects.toMatchObject({ kind: 'transient' });
    await expect(loadFreshAccount(world.services, connection)).rejects.toMatchObject({
      kind: 'token_expired',
      message: expect.stringContaining('X refused the grant'),
    });
    expect((await stored(connection)).needs_reconnect).toBe(true);
  });

  describe('that another worker renews', () => {
    let connection: Connection;
    beforeEach(async () => {
      connection = await expired();
    });
    const otherWorkerRenews = () => {
      const text = JSON.stringify({ access_token: 'theirs', refresh_token: 'r2' });
      const sealed = seal(world.ring, connection.id, text);
      const token_expires_at = world.clock.now + 7_200_000;
      return saveCredentials(world.table, connection, { sealed, token_expires_at, renew_at: null });
    };

    test('is used by the worker whose renewal failed', async () => {
      reply = async () => {
        await otherWorkerRenews();
        return invalidToken;
      };
      expect((await loadFreshAccount(world.services, connection)).credentials['access_token']).toBe('theirs');
      expect((await stored(connection)).needs_reconnect).toBe(false);
    });

    test('is usable again after the failed worker had marked the account', async () => {
      reply = () => invalidToken;
      await expect(loadFreshAccount(world.services, connection)).rejects.toThrow('X refused the grant');
      expect(await otherWorkerRenews()).toBe(true);
      const now = await stored(connection);
      expect(now.needs_reconnect).toBe(false);
      expect((await loadFreshAccount(world.services, now)).credentials['access_token']).toBe('theirs');
    });
  });
});

describe('an access token that has not expired', () => {
  const MINUTE = 60_000;
  const ending = async () =>
    world.connect(await world.profile(), 'x', {
      token_expires_at: world.clock.now + 4 * MINUTE,
      renew_at: world.clock.now,
    });

  test.each([
    ['X is down', { status: 503 }, false],
    ['the response was lost', { disconnect: true }, false],
    ['the refresh token was used, as after a lost response', invalidToken, true],
  ] as const)('is used until it expires when %s', async (_, response, lost) => {
    reply = () => response;
    const connection = await ending();
    expect((await loadFreshAccount(world.services, connection)).credentials['access_token']).toBe('a');
    const now = await stored(connection);
    // The user learns of it while posts are still published.
    expect([now.needs_reconnect, hasValidCredentials(now, world.clock.now)]).toEqual([lost, true]);
    world.clock.now += 4 * MINUTE;
    await expect(loadFreshAccount(world.services, now)).rejects.toMatchObject({
      kind: lost ? 'token_expired' : 'transient',
    });
    expect(hasValidCredentials(now, world.clock.now)).toBe(!lost);
  });

  test('does not exist for tokens without expiry: the account cannot be used after a refusal', async () => {
    const account = await world.connect(await world.profile(), 'telegram', { needs_reconnect: true });
    expect(hasValidCredentials(account, world.clock.now)).toBe(false);
  });
});
