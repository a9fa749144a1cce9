import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  connectContext,
  connectDirectly,
  connectedAccount,
  type AnyGrant,
} from '../../../test/support/connectors.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import type { JsonObject } from '../../model/json.ts';
import type { ConnectContext } from '../contract/connector.ts';
import { connector, normalizeIdentifier } from './connect.ts';
import { isAllowedServer } from './identity.ts';
import { sandbox } from './sandbox/server.ts';
import { DEMO } from './sandbox/accounts.ts';

const PDS = 'https://morel.us-east.host.bsky.network';
const HOUR = 3_600_000;

let bluesky: TestSandbox;
let context: ConnectContext;

beforeEach(async () => {
  bluesky = await startSandboxHost(sandbox);
  context = connectContext(bluesky);
});
afterEach(() => bluesky.close());

const connect = (input: unknown = DEMO) => connectDirectly(connector, input, context);
const other = (name: string) => ({ identifier: name, app_password: 'test-test-test-test' });
const calls = (name: string) => bluesky.traffic.filter(({ url }) => url.includes(name));

describe('connecting', () => {
  test('stores who the account is, where it lives, and its session', async () => {
    const grant = await connect();
    expect(grant).toEqual({
      account: {
        platform_user_id: expect.stringMatching(/^did:plc:[a-z2-7]{24}$/),
        display_name: 'Demo',
        username: 'demo.bsky.social',
        avatar_url: expect.stringMatching(/^https:\/\/cdn\.bsky\.app\//),
      },
      credentials: {
        access_token: expect.any(String),
        refresh_token: expect.any(String),
        app_password: DEMO.app_password,
      },
      scopes: ['com.atproto.appPass'],
      attributes: { pds: PDS, did: grant.account.platform_user_id },
      expires_at: bluesky.now() + 2 * HOUR,
      renew_at: bluesky.now() + 1.6 * HOUR,
    });
  });

  test('takes the handle for a name where there is none', async () => {
    const { account } = await connect(other('bob'));
    expect(account).toMatchObject({ display_name: 'bob.bsky.social', avatar_url: null });
  });

  test('does not fail for want of a profile', async () => {
    bluesky.failNext({ match: /getProfile/, respond: { status: 502, body: '{"error":"UpstreamFailure"}' } });
    expect((await connect()).account.display_name).toBe('demo.bsky.social');
    bluesky.failNext({ match: /getProfile/, drop: 'before' });
    expect((await connect()).account.display_name).toBe('demo.bsky.social');
  });

  test('looks the server up where the session does not tell', async () => {
    const { accessJwt, refreshJwt, did, handle } = {
      accessJwt: 'a.b.c',
      refreshJwt: 'd.e.f',
      did: (await connect()).account.platform_user_id,
      handle: 'demo.bsky.social',
    };
    const body = JSON.stringify({ accessJwt, refreshJwt, did, handle });
    bluesky.failNext({ match: /createSession/, respond: { status: 200, body } });
    expect((await connect()).attributes['pds']).toBe(PDS);
    expect(calls('plc.directory')).toHaveLength(1);

    bluesky.failNext({ match: /createSession/, respond: { status: 200, body } });
    bluesky.failNext({ match: /plc\.directory/, respond: { status: 404 } });
    expect((await connect()).attributes['pds']).toBe('https://bsky.social');
  });

  test.each([
    ['a wrong app password', { ...DEMO, app_password: 'wron-gwro-ngwr-ongw' }, /does not accept/],
    ['an unknown account', other('nobody.bsky.social'), /does not accept/],
    ['a taken down account', other('takendown'), /taken this account down/],
    ['a deactivated account', other('deactivated'), /deactivated/],
    ['the main password', { ...DEMO, app_password: 'demo-main-password' }, /app password/],
    ['no identifier', { ...DEMO, identifier: ' ' }, /./],
    ['a plain http server', { ...DEMO, service: 'http://pds.example.com' }, /https URL/],
    ['a page of a server', { ...DEMO, service: 'https://bsky.social/xrpc' }, /https URL/],
    ['no server at all', { ...DEMO, service: 'https://example.com' }, /./],
  ])('refuses %s', async (_, input, message) => {
    await expect(connect(input)).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringMatching(message),
    });
  });

  test('refuses a main password that looks like an app password', async () => {
    const payload = Buffer.from('{"scope":"com.atproto.access"}').toString('base64url');
    const body = JSON.stringify({
      accessJwt: `a.${payload}.c`,
      refreshJwt: 'x',
      did: 'did:plc:x',
      handle: 'x.test',
    });
    bluesky.failNext({ match: /createSession/, respond: { status: 200, body } });
    await expect(connect()).rejects.toMatchObject({ kind: 'rejected', message: /main password/ });
  });

  test('refuses a server on a private address', async () => {
    const straight = { ...context, http: bluesky.media };
    const inside = connectDirectly(connector, { ...DEMO, service: 'https://10.0.0.1' }, straight);
    await expect(inside).rejects.toMatchObject({ kind: 'rejected', message: /not public/ });
  });

  test('follows no redirect', async () => {
    const respond = { status: 307, headers: { location: 'https://evil.example.com/' } };
    bluesky.failNext({ match: /createSession/, respond });
    await expect(connect()).rejects.toMatchObject({ kind: 'rejected', message: /redirects/ });
    expect(bluesky.traffic).toHaveLength(1);
  });

  test('says when the server is only down, or asks to wait', async () => {
    bluesky.failNext({ match: /createSession/, respond: { status: 503 } });
    await expect(connect()).rejects.toMatchObject({ kind: 'transient' });
    for (let login = 0; login < 30; login++) await connect().catch(() => null);
    await expect(connect()).rejects.toMatchObject({ kind: 'rate_limited', retryAfterMs: 300_000 });
  });
});

test.each([
  ['@Alice.bsky.social', 'alice.bsky.social'],
  [' alice ', 'alice.bsky.social'],
  ['\u202aalice.test\u202c', 'alice.test'],
  ['me@example.com', 'me@example.com'],
  ['did:plc:abc', 'did:plc:abc'],
])('the identifier %j is understood as %s', (given, meant) => {
  expect(normalizeIdentifier(given)).toBe(meant);
});

test.each([
  ['https://pds.example.com', true, true],
  ['https://pds.example.com:8443/', true, true],
  ['http://pds.example.com', false, false],
  ['http://localhost:2583', false, true],
  ['http://127.0.0.1:2583', false, true],
  ['https://user:pw@pds.example.com', false, false],
  ['https://pds.example.com/?a=b', false, false],
  ['ftp://localhost', false, false],
  ['pds.example.com', false, false],
])('the server %s: on the web %j, on the own machine %j', (url, onTheWeb, onOwnMachine) => {
  const allowed = (allowLoopback: boolean) => isAllowedServer(url, { sandboxUrl: null, allowLoopback });
  expect([allowed(false), allowed(true)]).toEqual([onTheWeb, onOwnMachine]);
});

describe('renewing', () => {
  let grant: AnyGrant;
  beforeEach(async () => {
    grant = await connect();
    bluesky.traffic.length = 0;
  });

  const renew = (credentials: JsonObject = {}) =>
    connector.renew!(connectedAccount(grant, { credentials }), context);

  test('sends the refresh token in the header, to the account’s server, without a body', async () => {
    bluesky.advance(HOUR);
    const renewal = await renew();
    const [call] = bluesky.traffic;
    expect(call).toMatchObject({ method: 'POST', url: `${PDS}/xrpc/com.atproto.server.refreshSession` });
    expect(call?.headers['authorization']).toBe(`Bearer ${grant.credentials['refresh_token']}`);
    expect(call?.headers).not.toHaveProperty('content-type');
    expect(call?.body).toHaveLength(0);
    expect(renewal.expires_at).toBe(bluesky.now() + 2 * HOUR);
    expect(renewal.credentials['refresh_token']).not.toBe(grant.credentials['refresh_token']);
    expect(renewal.credentials['app_password']).toBe(DEMO.app_password);
  });

  test('logs in once more with the app password when the refresh token is dead', async () => {
    bluesky.platform.tokens('revoke_refresh', null);
    const renewal = await renew();
    expect(renewal.credentials['access_token']).toEqual(expect.any(String));
    expect(calls('createSession')).toHaveLength(1);
  });

  test('ends when the user took the app password back', async () => {
    bluesky.platform.tokens('revoke', null);
    await expect(renew()).rejects.toMatchObject({ kind: 'token_expired', code: 'TOKEN_EXPIRED' });
    expect(calls('createSession')).toHaveLength(1);
  });

  test('keeps the login for the last: a server that is down is asked again later', async () => {
    bluesky.failNext({ match: /refreshSession/, respond: { status: 502 } });
    await expect(renew()).rejects.toMatchObject({ kind: 'transient' });
    expect(calls('createSession')).toHaveLength(0);
  });

  test('finds an account that moved', async () => {
    const home = 'https://shimeji.us-east.host.bsky.network';
    const service = [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: home }];
    bluesky.failNext({ match: /refreshSession/, respond: { status: 400, body: '{"error":"InvalidToken"}' } });
    bluesky.failNext({ match: /plc/, respond: { status: 200, body: JSON.stringify({ id: 'x', service }) } });
    await renew();
    expect(calls('createSession')[0]?.url).toMatch(/^https:\/\/shimeji/);
  });

  test('a session that was given back is over', async () => {
    await connector.revoke!(connectedAccount(grant), context);
    const renewal = renew({ app_password: 'wron-gwro-ngwr-ongw' });
    await expect(renewal).rejects.toMatchObject({ kind: 'token_expired' });
  });
});
