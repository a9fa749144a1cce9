import type { SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { seal } from '../aws/key-ring.ts';
import type { Connection } from '../model/profile.ts';
import { getConnection, saveCredentials, acquireRenewalLease } from '../store/connections.ts';
import { createApiWorld, type ApiWorld } from '../../test/support/api-world.ts';
import { recorder, type Reply } from '../../test/support/recorder.ts';
import { hasValidCredentials, mergeCredentials, loadAccount, loadFreshAccount } from './credentials.ts';

let house: ApiWorld;
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
  house = await createApiWorld([]);
  const app = { Parameter: { Value: '{"client_id":"a","client_secret":"b"}' } };
  house.services = { ...house.services, ssm: { send: () => Promise.resolve(app) } as unknown as SSMClient };
  platform.requests.length = 0;
  reply = () => ({ body: fresh(1) });
});
afterEach(() => house.close());

const fresh = (n: number, more: Record<string, unknown> = {}) => ({
  access_token: `access ${n}`,
  refresh_token: `refresh ${n}`,
  expires_in: 7200,
  scope: '',
  ...more,
});
const spent: Reply = {
  status: 400,
  body: { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' },
};

/** An X account whose access token has ended. */
async function expired(): Promise<Connection> {
  return house.connect(await house.profile(), 'x', { token_expires_at: house.clock.now - 1 });
}
const stored = async ({ workspace_id, profile_id }: Connection) =>
  (await getConnection(house.table, workspace_id, profile_id, 'x'))!;

describe('an expired token that rotates', () => {
  test('is renewed once for 50 who need it at the same moment', async () => {
    const connection = await expired();
    const accounts = await Promise.all(
      Array.from({ length: 50 }, () => loadFreshAccount(house.services, connection)),
    );
    expect(platform.requests).toEqual(['POST /x/api.x.com/2/oauth2/token']);
    expect(new Set(accounts.map(({ credentials }) => credentials.access_token))).toEqual(
      new Set(['access 1']),
    );
    const { credentials, connection: now } = await loadAccount(house.services, await stored(connection));
    expect(credentials).toEqual({ access_token: 'access 1', refresh_token: 'refresh 1', secret: null });
    expect(now).toMatchObject({ revision: 2, renewal_lease_until: null, needs_reconnect: false });
  });

  test('costs those who wait for it no writes', async () => {
    const connection = await expired();
    const { table, now } = house.services;
    await acquireRenewalLease(table, connection, now(), now() + 60_000);
    const sent: string[] = [];
    const waiting = {
      ...house.services,
      table: {
        ...table,
        client: {
          send: async (command: never) => {
            sent.push((command as object).constructor.name);
            // After its second look the winner has the new token.
            if (sent.length === 2) {
              const changed = {
                sealed: connection.sealed,
                token_expires_at: now() + 7_200_000,
                attributes: {},
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

  test('keeps the stored refresh token where the answer has none, or an empty one', async () => {
    reply = () => ({ body: fresh(1, { refresh_token: undefined }) });
    const connection = await expired();
    await loadFreshAccount(house.services, connection);
    const { credentials } = await loadAccount(house.services, await stored(connection));
    expect(credentials).toMatchObject({ access_token: 'access 1', refresh_token: 'r' });
    expect(mergeCredentials(credentials, { access_token: 'access 2', refresh_token: '' })).toMatchObject({
      access_token: 'access 2',
      refresh_token: 'r',
    });
  });

  test.each([{ status: 429 }, { status: 503 }, { status: 401, body: { error: 'invalid_client' } }])(
    'costs nobody the account when the platform answers %j',
    async trouble => {
      reply = () => trouble;
      const connection = await expired();
      await expect(loadFreshAccount(house.services, connection)).rejects.toMatchObject({
        kind: expect.stringMatching(/transient|rate_limited/),
      });
      expect(await stored(connection)).toMatchObject({ needs_reconnect: false, renewal_lease_until: null });
      reply = () => ({ body: fresh(2) });
      const { credentials } = await loadFreshAccount(house.services, connection);
      expect(credentials.access_token).toBe('access 2');
    },
  );

  test('whose answer was lost is asked for again, and not given up before the platform says so', async () => {
    let calls = 0;
    reply = () => ((calls += 1) === 1 ? { breaks: true } : { body: fresh(calls) });
    const connection = await expired();
    await expect(loadFreshAccount(house.services, connection)).rejects.toMatchObject({ kind: 'transient' });
    expect(await stored(connection)).toMatchObject({ needs_reconnect: false });
    expect((await loadFreshAccount(house.services, connection)).credentials.access_token).toBe('access 2');
  });

  test('that the platform knows no more marks the account, and leaves the index', async () => {
    reply = () => spent;
    const connection = await expired();
    await expect(loadFreshAccount(house.services, connection)).rejects.toMatchObject({
      kind: 'token_expired',
    });
    const now = await stored(connection);
    expect(now).toMatchObject({ needs_reconnect: true, renewal_lease_until: null });
    expect(now.wake_at).toBeUndefined();
    // Nobody asks the platform again.
    await expect(loadFreshAccount(house.services, now)).rejects.toMatchObject({ kind: 'token_expired' });
    expect(platform.requests).toHaveLength(1);
  });

  test('whose answer X gave and nobody heard is lost: the account must be connected again', async () => {
    let calls = 0;
    reply = () => ((calls += 1) === 1 ? { breaks: true } : spent);
    const connection = await expired();
    await expect(loadFreshAccount(house.services, connection)).rejects.toMatchObject({ kind: 'transient' });
    await expect(loadFreshAccount(house.services, connection)).rejects.toMatchObject({
      kind: 'token_expired',
      message: expect.stringContaining('X refused the grant'),
    });
    expect((await stored(connection)).needs_reconnect).toBe(true);
  });

  describe('that another worker renewed', () => {
    let connection: Connection;
    beforeEach(async () => {
      connection = await expired();
    });
    const theyRenew = () => {
      const text = JSON.stringify({ access_token: 'theirs', refresh_token: 'r2', secret: null });
      const sealed = seal(house.ring, connection.id, text);
      const token_expires_at = house.clock.now + 7_200_000;
      return saveCredentials(house.table, connection, { sealed, token_expires_at, attributes: {} });
    };

    test('is never undone by the loser of the race', async () => {
      reply = async () => {
        await theyRenew();
        return spent;
      };
      expect((await loadFreshAccount(house.services, connection)).credentials.access_token).toBe('theirs');
      expect((await stored(connection)).needs_reconnect).toBe(false);
    });

    test('heals an account that the loser had marked as lost', async () => {
      reply = () => spent;
      await expect(loadFreshAccount(house.services, connection)).rejects.toThrow('X refused the grant');
      expect(await theyRenew()).toBe(true);
      const now = await stored(connection);
      expect(now.needs_reconnect).toBe(false);
      expect((await loadFreshAccount(house.services, now)).credentials.access_token).toBe('theirs');
    });
  });
});

describe('an access token that still holds', () => {
  const MINUTE = 60_000;
  const ending = async () =>
    house.connect(await house.profile(), 'x', { token_expires_at: house.clock.now + 4 * MINUTE });

  test.each([
    ['X is down', { status: 503 }, false],
    ['the answer was lost', { breaks: true }, false],
    ['the refresh token is spent, as after an answer that was lost', spent, true],
  ] as const)('serves until it ends where %s', async (_, trouble, lost) => {
    reply = () => trouble;
    const connection = await ending();
    expect((await loadFreshAccount(house.services, connection)).credentials.access_token).toBe('a');
    const now = await stored(connection);
    // The user hears of it while posts still go out.
    expect([now.needs_reconnect, hasValidCredentials(now, house.clock.now)]).toEqual([lost, true]);
    house.clock.now += 4 * MINUTE;
    await expect(loadFreshAccount(house.services, now)).rejects.toMatchObject({
      kind: lost ? 'token_expired' : 'transient',
    });
    expect(hasValidCredentials(now, house.clock.now)).toBe(!lost);
  });

  test('is none where tokens have no end: an account that is lost cannot be used', async () => {
    const account = await house.connect(await house.profile(), 'telegram', { needs_reconnect: true });
    expect(hasValidCredentials(account, house.clock.now)).toBe(false);
  });
});
