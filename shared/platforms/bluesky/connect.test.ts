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
  test('returns account, server and session', async () => {
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

  test('falls back to the handle without a display name', async () => {
    const { account } = await connect(other('bob'));
    expect(account).toMatchObject({ display_name: 'bob.bsky.social', avatar_url: null });
  });

  test('connects when the profile cannot be read', async () => {
    bluesky.failNext({ match: /getProfile/, respond: { status: 502, body: '{"error":"UpstreamFailure"}' } });
    expect((await connect()).account.display_name).toBe('demo.bsky.social');
    bluesky.failNext({ match: /getProfile/, drop: 'before' });
    expect((await connect()).account.display_name).toBe('demo.bsky.social');
  });

  test('ignores a name and a picture that are too long to be stored', async () => {
    const body = JSON.stringify({
      displayName: 'x'.repeat(500_000),
      avatar: `https://${'x'.repeat(500_000)}`,
    });
    bluesky.failNext({ match: /getProfile/, respond: { status: 200, body } });
    const { account } = await connect();
    expect(account).toMatchObject({ display_name: 'demo.bsky.social', avatar_url: null });
  });

  test('refuses tokens that are too long to be stored', async () => {
    const [accessJwt, refreshJwt] = ['a', 'x'.repeat(500_000)];
    const body = JSON.stringify({ accessJwt, refreshJwt, did: 'did:plc:x', handle: 'x.test' });
    bluesky.failNext({ match: /createSession/, respond: { status: 200, body } });
    await expect(connect()).rejects.toMatchObject({ kind: 'transient', message: /lexicon/ });
  });

  test('shortens the message of a server', async () => {
    const body = JSON.stringify({ error: 'InvalidRequest', message: 'm'.repeat(500_000) });
    bluesky.failNext({ match: /createSession/, respond: { status: 400, body } });
    const message = expect.stringMatching(/^[^m]{0,100}m.{990,1100}$/);
    await expect(connect()).rejects.toMatchObject({ kind: 'rejected', message });
  });

  test('rejects an account whose DID is unknown, and retries when the directory does not answer', async () => {
    bluesky.failNext({ match: /plc\.directory/, respond: { status: 404 } });
    await expect(connect()).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('did:plc:'),
    });
    bluesky.failNext({ match: /plc\.directory/, respond: { status: 503 } });
    await expect(connect()).rejects.toMatchObject({ kind: 'transient' });
    bluesky.failNext({ match: /plc\.directory/, drop: 'before' });
    await expect(connect()).rejects.toMatchObject({ kind: 'transient' });
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
  ])('rejects %s', async (_, input, message) => {
    await expect(connect(input)).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringMatching(message),
    });
  });

  test('rejects a main password that looks like an app password', async () => {
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

  test('rejects a server on a private address', async () => {
    const straight = { ...context, http: bluesky.media };
    const inside = connectDirectly(connector, { ...DEMO, service: 'https://10.0.0.1' }, straight);
    await expect(inside).rejects.toMatchObject({ kind: 'rejected', message: /not public/ });
  });

  test('does not follow redirects', async () => {
    const respond = { status: 307, headers: { location: 'https://evil.example.com/' } };
    bluesky.failNext({ match: /createSession/, respond });
    await expect(connect()).rejects.toMatchObject({ kind: 'rejected', message: /redirects/ });
    expect(bluesky.traffic).toHaveLength(1);
  });

  test('throws transient and rate_limited errors of the server', async () => {
    bluesky.failNext({ match: /createSession/, respond: { status: 503 } });
    await expect(connect()).rejects.toMatchObject({ kind: 'transient' });
    for (let login = 0; login < 30; login++) await connect().catch(() => null);
    await expect(connect()).rejects.toMatchObject({ kind: 'rate_limited', retryAfterMs: 300_000 });
  });
});

/* The caller names the server, so nothing that it says about the account is believed before its DID confirms it. */
describe('a server that the caller names', () => {
  const EVIL = 'https://evil.example';
  const VICTIM = 'did:plc:victimvictimvictimvictim'.slice(0, 32);
  const pdsDocument = (id: string, serviceEndpoint: string) => ({
    id,
    service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint }],
  });
  const session = (change: JsonObject = {}) => ({
    accessJwt: 'a.b.c',
    refreshJwt: 'd.e.f',
    did: VICTIM,
    handle: 'victim.bsky.social',
    ...change,
  });

  /** The server answers the login with this session, the DID's document is that of the DID's own directory. */
  function answers(service: string, body: JsonObject, document: JsonObject = pdsDocument(VICTIM, PDS)): void {
    const match = new RegExp(`${new URL(service).host.replaceAll('.', '\\.')}/xrpc/.*createSession`);
    bluesky.failNext({ match, respond: { status: 200, body: JSON.stringify(body) } });
    bluesky.failNext({
      match: /plc\.directory|did\.json/,
      respond: { status: 200, body: JSON.stringify(document) },
    });
  }
  const connectTo = (service: string) => connect({ ...DEMO, service });

  test('cannot connect an account of another server', async () => {
    answers(EVIL, session());
    await expect(connectTo(EVIL)).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('evil.example is not the server of the account'),
    });
    expect(calls('getProfile')).toEqual([]);
  });

  test('cannot name itself in the DID document of the session', async () => {
    answers(EVIL, session({ didDoc: pdsDocument(VICTIM, EVIL) }));
    await expect(connectTo(EVIL)).rejects.toMatchObject({ kind: 'rejected' });
  });

  test.each([{ accessJwt: '' }, { refreshJwt: '' }, { accessJwt: '', refreshJwt: '' }])(
    'is not believed with the incomplete tokens %j',
    async tokens => {
      answers(EVIL, session(tokens), pdsDocument(VICTIM, EVIL));
      await expect(connectTo(EVIL)).rejects.toMatchObject({ name: 'PlatformError' });
    },
  );

  test.each(['did:example:abc', 'not a DID', 'did:web:evil.example/path', 'did:web:evil.example%2fpath'])(
    'is not believed with the DID %j',
    async did => {
      answers(EVIL, session({ did }), pdsDocument(did, EVIL));
      await expect(connectTo(EVIL)).rejects.toMatchObject({ kind: 'rejected' });
    },
  );

  test('is not believed when the document is of another DID', async () => {
    answers(EVIL, session(), pdsDocument('did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', EVIL));
    await expect(connectTo(EVIL)).rejects.toMatchObject({ kind: 'rejected' });
  });

  test('connects accounts that its DID document places there', async () => {
    const service = 'https://pds.example.com';
    for (const did of [VICTIM, 'did:web:alice.example']) {
      answers(service, session({ did }), pdsDocument(did, `${service}/`));
      expect(await connectTo(service)).toMatchObject({
        account: { platform_user_id: did },
        attributes: { pds: service, did },
      });
    }
  });

  test('may be the entryway for accounts on the servers of Bluesky only', async () => {
    answers('https://bsky.social', session(), pdsDocument(VICTIM, 'https://pds.example.com'));
    await expect(connect()).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('https://pds.example.com'),
    });
    answers('https://bsky.social', session(), pdsDocument(VICTIM, 'https://host.bsky.network.evil.example'));
    await expect(connect()).rejects.toMatchObject({ kind: 'rejected' });
  });
});

test.each([
  ['@Alice.bsky.social', 'alice.bsky.social'],
  [' alice ', 'alice.bsky.social'],
  ['\u202aalice.test\u202c', 'alice.test'],
  ['me@example.com', 'me@example.com'],
  ['did:plc:abc', 'did:plc:abc'],
])('normalizes the identifier %j to %s', (given, meant) => {
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
])('allows the server %s: %j, with loopback %j', (url, onTheWeb, onOwnMachine) => {
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

  test('logs in with the app password when the refresh token is dead', async () => {
    bluesky.platform.tokens('revoke_refresh', null);
    const renewal = await renew();
    expect(renewal.credentials['access_token']).toEqual(expect.any(String));
    expect(calls('createSession')).toHaveLength(1);
  });

  test('requires a reconnect when the app password was revoked', async () => {
    bluesky.platform.tokens('revoke', null);
    await expect(renew()).rejects.toMatchObject({ kind: 'token_expired', code: 'TOKEN_EXPIRED' });
    expect(calls('createSession')).toHaveLength(1);
  });

  test('does not log in while the server is down', async () => {
    bluesky.failNext({ match: /refreshSession/, respond: { status: 502 } });
    await expect(renew()).rejects.toMatchObject({ kind: 'transient' });
    expect(calls('createSession')).toHaveLength(0);
  });

  describe('when the server refuses the session', () => {
    const HOME = 'https://shimeji.us-east.host.bsky.network';
    const refused = (error: string, status = 400) => ({
      match: /refreshSession/,
      respond: { status, body: JSON.stringify({ error, message: error }) },
    });
    const movedTo = (serviceEndpoint: string) => {
      const id = grant.account.platform_user_id;
      const service = [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint }];
      return { match: /plc/, respond: { status: 200, body: JSON.stringify({ id, service }) } };
    };

    test.each([
      ['InvalidToken', 400],
      ['ExpiredToken', 400],
      ['AccountDeactivated', 401],
      ['AccountNotFound', 403],
    ])(
      'requires a reconnect after %s when the account has moved, and sends nothing there',
      async (error, status) => {
        bluesky.failNext(refused(error, status));
        bluesky.failNext(movedTo(HOME));
        await expect(renew()).rejects.toMatchObject({
          kind: 'token_expired',
          message: expect.stringMatching(/moved to shimeji\.us-east\.host\.bsky\.network.*[Rr]econnect/),
        });
        expect(calls('shimeji')).toEqual([]);
        expect(calls('createSession')).toEqual([]);
      },
    );

    test('requires a reconnect when the account is deactivated, without a login', async () => {
      bluesky.failNext(refused('AccountDeactivated', 401));
      await expect(renew()).rejects.toMatchObject({
        kind: 'token_expired',
        message: expect.stringMatching(/deactivated/),
      });
      expect(calls('createSession')).toEqual([]);
    });

    test('waits when it cannot find out whether the account has moved', async () => {
      bluesky.failNext(refused('ExpiredToken'));
      bluesky.failNext({ match: /plc/, respond: { status: 503 } });
      await expect(renew()).rejects.toMatchObject({ kind: 'transient' });
      expect(calls('createSession')).toEqual([]);
    });
  });

  test.each([
    ['of an account that is not active', { active: false, status: 'deactivated' }, /deactivated/],
    ['of another account', { did: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa' }, /another account/],
  ])('does not take a session %s', async (_, change, message) => {
    const { platform_user_id, username } = grant.account;
    const body = { accessJwt: 'a', refreshJwt: 'b', did: platform_user_id, handle: username, ...change };
    bluesky.failNext({ match: /refreshSession/, respond: { status: 200, body: JSON.stringify(body) } });
    await expect(renew()).rejects.toMatchObject({
      kind: 'token_expired',
      message: expect.stringMatching(message),
    });
  });

  test('stays with the server of the connect whatever the session says', async () => {
    const { platform_user_id: did, username: handle } = grant.account;
    const didDoc = { id: did, service: [{ id: '#atproto_pds', serviceEndpoint: 'https://evil.example' }] };
    const body = JSON.stringify({ accessJwt: 'a', refreshJwt: 'b', did, handle, didDoc });
    bluesky.failNext({ match: /refreshSession/, respond: { status: 200, body } });
    expect((await renew()).attributes?.['pds'] ?? PDS).toBe(PDS);
  });

  test('requires a reconnect after the session was revoked', async () => {
    await connector.revoke!(connectedAccount(grant), context);
    const renewal = renew({ app_password: 'wron-gwro-ngwr-ongw' });
    await expect(renewal).rejects.toMatchObject({ kind: 'token_expired' });
  });
});
