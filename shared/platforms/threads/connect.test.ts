import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connectContext, connectedAccount, oauthWay } from '../../../test/support/connectors.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { authorize, connect, REDIRECT } from '../../../test/support/threads.ts';
import { signedRequest } from '../families/meta/sandbox/signed-request.ts';
import { connector } from './connect.ts';
import { sandbox } from './sandbox/server.ts';
import { APP, DEMO } from './sandbox/state.ts';

const DAY = 86_400_000;
const CODE = /oauth\/access_token/;
const EXCHANGE = /\/access_token\?grant_type=th_exchange/;
const REFRESH = /refresh_access_token/;

let host: TestSandbox;
beforeAll(async () => void (host = await startSandboxHost(sandbox)));
afterAll(() => host.close());

const oauth = oauthWay(connector);
type Grant = Awaited<ReturnType<typeof connect>>;
const renew = (grant: Grant) => connector.renew!(connectedAccount(grant, { app: APP }), connectContext(host));
const exchange = async (more = {}) =>
  oauth.exchange({ ...(await authorize(host)), ...more }, connectContext(host));

describe('connecting', () => {
  test('sends the user to the login page with comma-separated scopes', () => {
    const input = { app: APP, state: 's', redirect_uri: REDIRECT, code_challenge: 'c' };
    const url = new URL(oauth.authorizeUrl(input));
    expect(url.origin + url.pathname).toBe('https://www.threads.com/oauth/authorize');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: APP.client_id,
      redirect_uri: REDIRECT,
      response_type: 'code',
      scope: 'threads_basic,threads_content_publish,threads_manage_insights',
      state: 's',
    });
  });

  test('stores the long-lived token only, with the id of the profile', async () => {
    const grant = await connect(host);
    expect(grant).toMatchObject({
      account: { platform_user_id: DEMO.id, username: 'demo', display_name: 'Demo' },
      credentials: { access_token: expect.stringMatching(/^THAA/) },
      scopes: oauth.scopes,
      renew_at: host.now() + 30 * DAY - 8000,
      expires_at: host.now() + 60 * DAY - 16_000,
    });
    const tokens = host.traffic.filter(({ url }) => CODE.test(url) || EXCHANGE.test(url));
    expect(tokens.map(({ method }) => method)).toEqual(['POST', 'GET']);
    expect(tokens[0]!.response).toContain('"user_id":17841405793187219');
    expect(tokens[0]!.response).not.toContain(grant.credentials['access_token']!);
  });

  test('accepts the code with the characters that Threads appends to the redirect', async () => {
    const authorized = await authorize(host);
    expect(authorized.location).toMatch(/#_$/);
    const grant = await oauth.exchange({ ...authorized, code: `${authorized.code}#_` }, connectContext(host));
    expect(grant.account.username).toBe('demo');
  });

  test('accepts a user id that is a string, and a profile without name and picture', async () => {
    const authorized = await authorize(host);
    const real = await host.http.send({
      method: 'POST',
      url: 'https://graph.threads.net/oauth/access_token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        client_id: APP.client_id,
        client_secret: APP.client_secret,
        grant_type: 'authorization_code',
        code: authorized.code,
        redirect_uri: REDIRECT,
      }).toString(),
      timeoutMs: 30_000,
    });
    const { access_token } = JSON.parse(real.body.toString()) as { access_token: string };
    const body = JSON.stringify({ access_token, user_id: '17841405793187219' });
    host.failNext({ match: CODE, respond: { status: 200, body } });
    host.failNext({
      match: /\/me\?/,
      respond: { status: 200, body: JSON.stringify({ id: DEMO.id, username: 'demo' }) },
    });
    const { account } = await oauth.exchange(authorized, connectContext(host));
    expect(account).toEqual({
      platform_user_id: DEMO.id,
      username: 'demo',
      display_name: 'demo',
      avatar_url: null,
    });
  });

  test('returns the user with an error after a denied consent', async () => {
    const { back } = await authorize(host, { auto: 'deny' });
    expect(back?.get('error')).toBe('access_denied');
    expect(back?.get('error_reason')).toBe('user_denied');
    expect(back?.get('state')).toBe('state-1');
  });

  test('shows error 4476002 on the login page for the id of another app', async () => {
    const { status, page } = await authorize(host, { client_id: '1' });
    expect([status, page]).toEqual([400, expect.stringContaining('4476002')]);
  });

  test('rejects a code that was used, is older than an hour or has another redirect URI', async () => {
    const used = await authorize(host);
    await oauth.exchange(used, connectContext(host));
    await expect(oauth.exchange(used, connectContext(host))).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('Matching code was not found or was already used'),
    });
    const late = await authorize(host);
    host.advance(3_600_000);
    await expect(oauth.exchange(late, connectContext(host))).rejects.toMatchObject({ kind: 'rejected' });
    await expect(exchange({ redirect_uri: 'https://other.example/' })).rejects.toMatchObject({
      kind: 'rejected',
    });
    await expect(exchange({ app: { ...APP, client_secret: 'wrong' } })).rejects.toMatchObject({
      kind: 'rejected',
    });
  });

  test.each([
    ['the exchange for a long-lived token fails', EXCHANGE, 500],
    ['the profile cannot be read', /\/me\?/, 500],
    ['a proxy answers', EXCHANGE, 200],
  ])('stores nothing when %s', async (_, match, status) => {
    host.failNext({ match, respond: { status, body: '<html>' } });
    await expect(exchange()).rejects.toMatchObject({ name: 'PlatformError' });
  });

  test('rejects a login without the permission to publish', async () => {
    await expect(connect(host, { scope: 'threads_basic' })).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('threads_content_publish'),
    });
  });

  test('connects when the permissions cannot be read', async () => {
    host.failNext({ match: /debug_token/, respond: { status: 500 } });
    expect((await connect(host)).scopes).toEqual(oauth.scopes);
  });
});

test('a user who uninstalls the app is named by a signed request', async () => {
  const { userOf, userNamedBy, isSignedWith } = connector.callbacks!;
  const { id } = userOf(connectedAccount(await connect(host)));
  const signed = signedRequest({ algorithm: 'HMAC-SHA256', user_id: id }, APP.client_secret);
  expect([id, userNamedBy(signed)]).toEqual([DEMO.id, DEMO.id]);
  expect([APP.client_secret, 'other'].map(secret => isSignedWith(signed, secret))).toEqual([true, false]);
});

describe('renewing', () => {
  test('exchanges the token for a new one of 60 days, with the present profile', async () => {
    const grant = await connect(host);
    host.platform.change!('demo', { name: 'Renamed' });
    host.advance(30 * DAY);
    const renewal = await renew(grant);
    expect(renewal).toMatchObject({
      account: { display_name: 'Renamed', username: 'demo' },
      expires_at: host.now() + 60 * DAY - 16_000,
      renew_at: host.now() + 30 * DAY - 8000,
    });
    expect(renewal.credentials['access_token']).not.toBe(grant.credentials['access_token']);
    host.platform.change!('demo', { name: 'Demo' });
  });

  test('keeps the new token when the profile cannot be read', async () => {
    const grant = await connect(host);
    host.advance(DAY);
    host.failNext({ match: /\/me\?/, respond: { status: 500 } });
    const renewal = await renew(grant);
    expect(renewal.account).toBeUndefined();
    expect(renewal.credentials['access_token']).toMatch(/^THAA/);
  });

  test('is not due before the token is a day old, and Threads refuses it until then', async () => {
    const grant = await connect(host);
    const short = JSON.stringify({ access_token: 'THAA-x', expires_in: 3600 });
    host.advance(DAY);
    host.failNext({ match: REFRESH, respond: { status: 200, body: short } });
    expect((await renew(grant)).renew_at).toBe(host.now() + DAY);
    const young = await connect(host);
    await expect(renew(young)).rejects.toMatchObject({ kind: 'rejected' });
    expect(connector.renews_valid_token_only).toBe(true);
  });

  test('ends the connection when the token has expired', async () => {
    const grant = await connect(host);
    host.advance(60 * DAY);
    await expect(renew(grant)).rejects.toMatchObject({ kind: 'token_expired', code: 'TOKEN_EXPIRED' });
  });

  test.each([
    [
      { status: 503, body: '<html>' },
      { kind: 'transient', outcomeUnknown: true },
    ],
    [{ status: 200, body: '{"access_token":""}' }, { kind: 'transient' }],
    [{ status: 400, body: '{"error":{"code":190,"message":"Failed to decode"}}' }, { kind: 'token_expired' }],
  ])('classifies the response %j as %j', async (respond, error) => {
    const grant = await connect(host);
    host.advance(DAY);
    host.failNext({ match: REFRESH, respond });
    await expect(renew(grant)).rejects.toMatchObject(error);
  });
});
