import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  connectContext,
  connectedAccount,
  oauthWay,
  type AnyGrant,
} from '../../../test/support/connectors.ts';
import { authorize, connect, REDIRECT } from '../../../test/support/pinterest.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { unlimitedQuota } from '../../../test/support/unlimited-quota.ts';
import { connector } from './connect.ts';
import { lookups } from './lookups.ts';
import { sandbox } from './sandbox/server.ts';
import { APP, boardsOf, DEMO } from './sandbox/state.ts';

const DAY = 86_400_000;
const TOKEN = /oauth\/token/;

let host: TestSandbox;
beforeAll(async () => void (host = await startSandboxHost(sandbox)));
afterAll(() => host.close());
beforeEach(() => host.platform.reset());

const oauth = oauthWay(connector);
const renew = (grant: AnyGrant, app = APP) =>
  connector.renew!(connectedAccount(grant, { app }), connectContext(host));

describe('connecting', () => {
  test('sends the user to the consent page with comma-separated scopes', () => {
    const input = { app: APP, state: 's', redirect_uri: REDIRECT, code_challenge: 'c' };
    const url = new URL(oauth.authorizeUrl(input));
    expect(url.origin + url.pathname).toBe('https://www.pinterest.com/oauth/');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: APP.client_id,
      redirect_uri: REDIRECT,
      response_type: 'code',
      scope: 'boards:read,boards:write,pins:read,pins:write,user_accounts:read',
      state: 's',
    });
  });

  test('returns account, tokens and scopes, with a refresh token that is prolonged', async () => {
    const grant = await connect(host);
    expect(grant).toMatchObject({
      account: { platform_user_id: DEMO.id, username: 'demo', display_name: 'Demo' },
      credentials: {
        access_token: expect.stringMatching(/^pina_/),
        refresh_token: expect.stringMatching(/^pinr_/),
      },
      scopes: oauth.scopes,
      attributes: { account_type: 'BUSINESS' },
      renew_at: host.now() + 24 * DAY,
      expires_at: host.now() + 30 * DAY,
    });
    const { headers, body } = host.traffic.find(({ url }) => TOKEN.test(url))!;
    expect(headers['authorization']).toMatch(/^Basic /);
    const form = Object.fromEntries(new URLSearchParams(body.toString()));
    expect(form).toMatchObject({ grant_type: 'authorization_code', continuous_refresh: 'true' });
    expect(form).not.toHaveProperty('client_secret');
  });

  test('identifies an account without id, business name and picture by its username', async () => {
    host.failNext({ match: /v5\/user_account/, respond: { status: 200, body: '{"username":"jdoe"}' } });
    expect((await connect(host)).account).toEqual({
      platform_user_id: 'jdoe',
      display_name: 'jdoe',
      username: 'jdoe',
      avatar_url: null,
    });
  });

  test('reads scopes that are separated by commas', async () => {
    const authorized = await authorize(host);
    const { access_token } = (await connect(host)).credentials;
    const scope = oauth.scopes.join(',');
    const body = JSON.stringify({ access_token, refresh_token: 'r', expires_in: 60, scope });
    host.failNext({ match: TOKEN, respond: { status: 200, body } });
    expect((await oauth.exchange(authorized, connectContext(host))).scopes).toEqual(oauth.scopes);
  });

  test('rejects a grant without a scope that Pins need', async () => {
    await expect(connect(host, { scope: 'boards:read,pins:read,user_accounts:read' })).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('boards:write, pins:write'),
    });
  });

  test('rejects a grant without a refresh token', async () => {
    const authorized = await authorize(host);
    const body = JSON.stringify({ access_token: 'a', expires_in: 60, scope: oauth.scopes.join(' ') });
    host.failNext({ match: TOKEN, respond: { status: 200, body } });
    await expect(oauth.exchange(authorized, connectContext(host))).rejects.toMatchObject({
      code: 'PERMISSION_MISSING',
    });
  });

  test('rejects a code that was used, has another redirect URI, or belongs to another app', async () => {
    const used = await authorize(host);
    await oauth.exchange(used, connectContext(host));
    await expect(oauth.exchange(used, connectContext(host))).rejects.toMatchObject({ kind: 'rejected' });
    for (const change of [{ redirect_uri: 'https://b.example/' }, { app: { ...APP, client_secret: 'no' } }]) {
      const other = { ...(await authorize(host)), ...change };
      await expect(oauth.exchange(other, connectContext(host))).rejects.toMatchObject({ kind: 'rejected' });
    }
  });

  test('returns the user with an error after a denied consent', async () => {
    const { back } = await authorize(host, { auto: 'deny' });
    expect([back?.get('error'), back?.get('state')]).toEqual(['access_denied', 'state-1']);
  });

  test('stays within the environment of the app', async () => {
    const app = { ...APP, environment: 'sandbox' };
    host.traffic.length = 0;
    const grant = await connect(host, {}, app);
    const hosts = host.traffic.map(({ url }) => new URL(url).hostname);
    expect(hosts).toEqual(['www.pinterest.com', 'api-sandbox.pinterest.com', 'api-sandbox.pinterest.com']);
    const account = connectedAccount(grant, { app: APP });
    await expect(connector.listTargets!(account, connectContext(host))).rejects.toMatchObject({
      kind: 'token_expired',
    });
  });
});

describe('renewing', () => {
  test('stores both new tokens', async () => {
    const grant = await connect(host);
    host.advance(24 * DAY);
    const renewal = await renew(grant);
    expect(renewal.expires_at).toBe(host.now() + 30 * DAY);
    expect(renewal.credentials['refresh_token']).not.toBe(grant.credentials['refresh_token']);
    expect(renewal.credentials['access_token']).not.toBe(grant.credentials['access_token']);
  });

  test('succeeds with the old refresh token after a lost response', async () => {
    const grant = await connect(host);
    host.failNext({ match: TOKEN, drop: 'after' });
    await expect(renew(grant)).rejects.toMatchObject({ kind: 'transient' });
    await expect(renew(grant)).resolves.toBeDefined();
  });

  test('ends the connection when the refresh token is used up or older than 60 days', async () => {
    host.platform.change!('demo', { rotates: true });
    const grant = await connect(host);
    await renew(grant);
    await expect(renew(grant)).rejects.toMatchObject({ kind: 'token_expired', code: 'TOKEN_EXPIRED' });
    const old = await connect(host);
    host.advance(60 * DAY);
    await expect(renew(old)).rejects.toMatchObject({ kind: 'token_expired' });
  });

  test.each([
    [{ status: 400, body: '{"code":1,"message":"Invalid request body"}' }, { kind: 'token_expired' }],
    [{ status: 429, body: '{"code":8,"message":"slow down"}' }, { kind: 'rate_limited' }],
    [{ status: 503, body: '<html>' }, { kind: 'transient' }],
    [{ status: 200, body: '{"access_token":"","expires_in":1}' }, { kind: 'transient' }],
  ])('classifies the response %j as %j', async (respond, error) => {
    const grant = await connect(host);
    host.failNext({ match: TOKEN, respond });
    await expect(renew(grant)).rejects.toMatchObject(error);
  });
});

describe('lookups', () => {
  const lookup = async (name: string, grant: AnyGrant, input: object = {}) => {
    const found = lookups.find(each => each.name === name)!;
    const account = { ...connectedAccount(grant, { app: APP }), target: null };
    return found.run(account, input, { http: host.http, now: host.now, quota: unlimitedQuota() });
  };

  test('of boards read every page, and leave out those for ads', async () => {
    const grant = await connect(host, { as: 'demo_many' });
    host.traffic.length = 0;
    const { boards, total } = (await lookup('boards', grant)) as { boards: object[]; total: number };
    expect([boards.length, total]).toEqual([260, 260]);
    expect(host.traffic.map(({ url }) => new URL(url).searchParams.get('page_size'))).toEqual(['250', '250']);
    expect(boards[0]).toEqual({
      board_id: expect.stringMatching(/^\d+$/),
      name: 'Summer recipes',
      description: 'Summer recipes of demo_many',
      privacy: 'PUBLIC',
      pin_count: 5,
      image_url: expect.stringContaining('https://i.pinimg.com/'),
    });
  });

  test('of sections list those of one board', async () => {
    const [board] = boardsOf(DEMO);
    const grant = await connect(host);
    expect(await lookup('board-sections', grant, { board_id: board!.id })).toEqual({
      sections: [{ section_id: board!.sections[0]!.id, name: 'Salads' }],
      total: 1,
    });
    await expect(lookup('board-sections', grant, { board_id: '1' })).rejects.toMatchObject({
      code: 'CONTENT_REJECTED',
      message: expect.stringContaining('GET /integrations/pinterest/boards'),
    });
  });

  test('boards are the targets of the account', async () => {
    const account = connectedAccount(await connect(host), { app: APP });
    const targets = await connector.listTargets!(account, connectContext(host));
    expect(targets.map(({ id }) => id)).toEqual(
      boardsOf(DEMO)
        .filter(({ is_ads_only }) => !is_ads_only)
        .map(({ id }) => id),
    );
  });
});
