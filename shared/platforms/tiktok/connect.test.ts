import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { connectContext, connectedAccount, oauthWay } from '../../../test/support/connectors.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { authorize, CHALLENGE, connect, LOCAL_REDIRECT, REDIRECT } from '../../../test/support/tiktok.ts';
import { connector } from './connect.ts';
import { sandbox } from './sandbox/server.ts';
import { APP, DEMO } from './sandbox/state.ts';

const DAY = 86_400_000;
const TOKEN = /oauth\/token/;

let host: TestSandbox;
beforeAll(async () => void (host = await startSandboxHost(sandbox)));
afterAll(() => host.close());
beforeEach(() => host.platform.reset());

type Grant = Awaited<ReturnType<typeof connect>>;
const oauth = oauthWay(connector);
const renew = (grant: Grant, app: typeof APP = APP) =>
  connector.renew!(connectedAccount(grant, { app }), connectContext(host));
const exchange = async (more = {}, redirect = REDIRECT) =>
  oauth.exchange({ ...(await authorize(host, {}, redirect)), ...more }, connectContext(host));
const lastForm = () => {
  const sent = host.traffic.filter(({ url }) => TOKEN.test(url)).at(-1);
  return Object.fromEntries(new URLSearchParams(sent?.body.toString()));
};

describe('connecting', () => {
  const page = (redirect_uri: string) =>
    Object.fromEntries(
      new URL(oauth.authorizeUrl({ app: APP, state: 's', redirect_uri, code_challenge: CHALLENGE }))
        .searchParams,
    );

  test('sends the user to the consent page, without PKCE for a web app', () => {
    expect(page(REDIRECT)).toEqual({
      client_key: APP.client_id,
      scope: 'user.info.basic,user.info.profile,user.info.stats,video.publish,video.upload,video.list',
      response_type: 'code',
      redirect_uri: REDIRECT,
      state: 's',
      disable_auto_auth: '1',
    });
  });

  test('uses PKCE with a challenge in hexadecimal digits for an app on the user’s own machine', async () => {
    expect(page(LOCAL_REDIRECT)).toMatchObject({
      code_challenge: Buffer.from(CHALLENGE, 'base64url').toString('hex'),
      code_challenge_method: 'S256',
    });
    await exchange({}, LOCAL_REDIRECT);
    expect(lastForm()).toHaveProperty('code_verifier');
    await expect(exchange({ code_verifier: 'another' }, LOCAL_REDIRECT)).rejects.toMatchObject({
      kind: 'rejected',
    });
  });

  test('stores both tokens, the scopes, and the end of the grant', async () => {
    const grant = await connect(host);
    expect(grant).toEqual({
      account: {
        platform_user_id: DEMO.id,
        username: 'demo',
        display_name: 'Demo',
        avatar_url: expect.stringMatching(/^https:/),
      },
      credentials: {
        access_token: expect.stringMatching(/^act\./),
        refresh_token: expect.stringMatching(/^rft\./),
      },
      scopes: oauth.scopes,
      attributes: {
        scopes: oauth.scopes.join(','),
        audited: 'true',
        grant_ends_at: new Date(host.now() + 180 * DAY).toISOString(),
      },
      renew_at: host.now() + 0.8 * 7_200_000,
      expires_at: host.now() + 7_200_000,
    });
    expect(lastForm()).not.toHaveProperty('code_verifier');
  });

  test('sends the code as it is once the query string is decoded', async () => {
    const { code } = await authorize(host);
    expect(code).toContain('*1!5212');
    await connect(host);
    expect(lastForm()['code']).toContain('*1!5212');
  });

  test('notes that the operator declared the app as not audited', async () => {
    const app = { ...APP, audited: 'false' };
    expect((await connect(host, {}, app)).attributes['audited']).toBe('false');
    expect(connector.appNotice(app, 0)).toContain('not audited');
    expect(connector.appNotice(APP, 0)).toBeNull();
  });

  test('asks for the username only where its permission was granted', async () => {
    const { account } = await connect(host, { untick: 'user.info.profile' });
    expect(account).toMatchObject({ username: null, display_name: 'Demo' });
  });

  test.each([
    ['user.info.basic', /user\.info\.basic/],
    ['video.publish,video.upload', /video\.publish or video\.upload/],
  ])('is rejected without %s', async (untick, message) => {
    await expect(connect(host, { untick })).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      message: expect.stringMatching(message),
    });
  });

  test.each(['video.publish', 'video.upload', 'video.list'])('works without %s', async untick => {
    expect((await connect(host, { untick })).scopes).not.toContain(untick);
  });

  test('returns the user with an error after a denied consent', async () => {
    const { back } = await authorize(host, { auto: 'deny' });
    expect([back?.get('error'), back?.get('state')]).toEqual(['access_denied', 'state-1']);
  });

  test.each([200, 400])(
    'rejects codes that are used, late or of another URI, answered with %i',
    async status => {
      host.platform.change!('app', { oauth_error_status: status });
      const used = await authorize(host);
      await oauth.exchange(used, connectContext(host));
      const late = await authorize(host);
      await expect(oauth.exchange(used, connectContext(host))).rejects.toMatchObject({ kind: 'rejected' });
      host.advance(600_000);
      await expect(oauth.exchange(late, connectContext(host))).rejects.toMatchObject({ kind: 'rejected' });
      for (const wrong of [{ redirect_uri: 'https://o.example/' }, { app: { ...APP, client_secret: 'x' } }]) {
        await expect(exchange(wrong)).rejects.toMatchObject({ kind: 'rejected' });
      }
    },
  );

  test('rejects a token of another account than the one that can be read', async () => {
    const user = { open_id: 'other', display_name: 'Other' };
    const body = JSON.stringify({ data: { user }, error: { code: 'ok' } });
    host.failNext({ match: /user\/info/, respond: { status: 200, body } });
    await expect(connect(host)).rejects.toMatchObject({ kind: 'rejected' });
  });
});

describe('renewing', () => {
  test('replaces both tokens, kills the old ones and makes no other request', async () => {
    const grant = await connect(host);
    host.advance(6_000_000);
    host.traffic.length = 0;
    const renewal = await renew(grant, { ...APP });
    expect(host.traffic).toHaveLength(1);
    expect(renewal).toMatchObject({
      expires_at: host.now() + 7_200_000,
      renew_at: host.now() + 0.8 * 7_200_000,
      scopes: oauth.scopes,
      attributes: { grant_ends_at: grant.attributes['grant_ends_at'] },
    });
    for (const name of ['access_token', 'refresh_token']) {
      expect(renewal.credentials[name]).not.toBe(grant.credentials[name]);
    }
    await expect(renew(grant)).rejects.toMatchObject({ kind: 'token_expired', code: 'TOKEN_EXPIRED' });
  });

  test('obeys the lifetimes of the last response, whichever they are', async () => {
    host.platform.change!('app', {
      access_life_s: 86_400,
      refresh_life_s: 31_536_000,
      extends_refresh: true,
    });
    const grant = await connect(host);
    host.advance(DAY);
    expect(await renew(grant)).toMatchObject({
      expires_at: host.now() + DAY,
      attributes: { grant_ends_at: new Date(host.now() + 365 * DAY).toISOString() },
    });
  });

  test('is not planned where the grant ends before the access token could be renewed', async () => {
    host.platform.change!('app', { refresh_life_s: 3600 });
    expect(await connect(host)).toMatchObject({ renew_at: null, expires_at: host.now() + 7_200_000 });
  });

  test('after a lost response tries the old token once more, and then ends the connection', async () => {
    const grant = await connect(host);
    host.failNext({ match: TOKEN, drop: 'before' });
    await expect(renew(grant)).rejects.toMatchObject({ kind: 'transient' });
    host.failNext({ match: TOKEN, drop: 'after' });
    await expect(renew(grant)).rejects.toMatchObject({ kind: 'transient' });
    await expect(renew(grant)).rejects.toMatchObject({ kind: 'token_expired' });
  });

  test.each([
    [{ status: 503, body: '<html>' }, 'transient'],
    [{ status: 200, body: '{"access_token":"","refresh_token":"r"}' }, 'transient'],
    [{ status: 200, body: '{"access_token":"a","expires_in":7200}' }, 'transient'],
    [{ status: 200, body: '{"error":"invalid_client","error_description":"x"}' }, 'transient'],
    [{ status: 400, body: '{"error":"invalid_request","error_description":"x"}' }, 'transient'],
    [{ status: 200, body: '{"error":"invalid_grant","error_description":"x"}' }, 'token_expired'],
    [{ status: 400, body: '{"error":"invalid_grant","error_description":"x"}' }, 'token_expired'],
  ])('classifies the response %j as %s', async (respond, kind) => {
    const grant = await connect(host);
    host.failNext({ match: TOKEN, respond });
    await expect(renew(grant)).rejects.toMatchObject({ kind });
  });
});

test('disconnecting revokes the tokens at TikTok', async () => {
  const grant = await connect(host);
  const account = connectedAccount(grant, { app: APP });
  await connector.revoke!(account, connectContext(host));
  await expect(renew(grant)).rejects.toMatchObject({ kind: 'token_expired' });
  await expect(connector.revoke!(account, connectContext(host))).rejects.toMatchObject({
    name: 'PlatformError',
  });
});

test('name and picture are read again while the account is connected', async () => {
  const grant = await connect(host);
  host.platform.change!('demo', { nickname: 'Renamed' });
  const { account } = await connector.facts!.read(
    connectedAccount(grant, { app: APP }),
    connectContext(host),
  );
  expect(account).toMatchObject({ display_name: 'Renamed', username: 'demo' });
  expect(account?.avatar_url).not.toBe(grant.account.avatar_url);
});
