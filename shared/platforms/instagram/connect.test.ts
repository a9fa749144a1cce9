import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { connectContext, connectedAccount, type AnyGrant } from '../../../test/support/connectors.ts';
import { appOf, authorize, connect, wayOf, type WayId } from '../../../test/support/instagram.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { connector } from './connect.ts';
import { sandbox } from './sandbox/server.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;

let host: TestSandbox;
const opened: TestSandbox[] = [];
beforeEach(async () => {
  host = await startSandboxHost(sandbox);
  opened.push(host);
});
afterAll(async () => {
  await Promise.all(opened.map(each => each.close()));
});

const accountOf = (grant: AnyGrant, id: WayId) => ({
  ...connectedAccount(grant, { app: appOf(id) }),
  way: id,
});
const renew = (grant: AnyGrant, id: WayId) => connector.renew!(accountOf(grant, id), connectContext(host));
const targets = (grant: AnyGrant, id: WayId) =>
  connector.listTargets!(accountOf(grant, id), connectContext(host));
const mode = (name: string, change: object) => host.platform.change!(name, { ...change });
const graph = (code: number, subcode?: number) => ({
  status: 400,
  body: JSON.stringify({ error: { message: 'No', type: 'OAuthException', code, error_subcode: subcode } }),
});

describe('Instagram Login', () => {
  test('is the default way and needs no target', () => {
    expect(connector.ways.map(({ id }) => id)).toEqual(['instagram', 'facebook']);
    expect(wayOf('instagram')).toMatchObject({ targets: 'none' });
    const url = new URL(
      wayOf('instagram').authorizeUrl({
        app: appOf('instagram'),
        state: 's',
        redirect_uri: 'https://a.example/cb',
        code_challenge: 'c',
      }),
    );
    expect(`${url.origin}${url.pathname}`).toBe('https://www.instagram.com/oauth/authorize');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: appOf('instagram').client_id,
      redirect_uri: 'https://a.example/cb',
      response_type: 'code',
      scope:
        'instagram_business_basic,instagram_business_content_publish,instagram_business_manage_comments,instagram_business_manage_insights',
      state: 's',
    });
  });

  test.each([false, true])(
    'returns a token of 60 days and the professional account (wrapped: %s)',
    async wrapped => {
      mode('app', { wrapped });
      const grant = await connect(host);
      expect(grant).toMatchObject({
        account: { platform_user_id: '17841400000000001', username: 'demo', display_name: 'Demo' },
        credentials: { login: 'instagram', access_token: expect.stringMatching(/^IGAA/) },
        attributes: { app_scoped_id: '26000000000000001', account_type: 'BUSINESS' },
        scopes: wayOf('instagram').scopes,
        expires_at: host.now() + 60 * DAY,
      });
      expect(grant.renew_at).toBeGreaterThan(host.now() + DAY);
      expect(grant.renew_at).toBeLessThan(host.now() + 60 * DAY - DAY);
      const requests = host.traffic.map(({ method, url }) => `${method} ${url.split('?')[0]!}`);
      expect(requests).toEqual([
        'GET https://www.instagram.com/oauth/authorize',
        'POST https://api.instagram.com/oauth/access_token',
        'GET https://graph.instagram.com/access_token',
        'GET https://graph.instagram.com/v26.0/me',
        'GET https://graph.instagram.com/v26.0/17841400000000001/content_publishing_limit',
      ]);
      expect(host.traffic[1]!.headers['content-type']).toMatch(/^multipart\/form-data/);
    },
  );

  test('strips the fragment that ends the redirect from the code', async () => {
    const authorized = await authorize(host, 'instagram');
    const granted = { ...authorized, code: `${authorized.code}#_` };
    await expect(wayOf('instagram').exchange(granted, connectContext(host))).resolves.toBeDefined();
  });

  test('reports a denied consent', async () => {
    const { back } = await authorize(host, 'instagram', { auto: 'deny' });
    expect(Object.fromEntries(back!)).toMatchObject({ error: 'access_denied', state: 'state-1' });
  });

  test('is rejected with a code that was used or is over an hour old', async () => {
    const used = await authorize(host, 'instagram');
    await wayOf('instagram').exchange(used, connectContext(host));
    const late = await authorize(host, 'instagram');
    host.advance(HOUR);
    for (const each of [used, late]) {
      await expect(wayOf('instagram').exchange(each, connectContext(host))).rejects.toMatchObject({
        kind: 'rejected',
        message: expect.stringContaining('Matching code was not found or was already used'),
      });
    }
  });

  test('names a permission that was not granted', async () => {
    await expect(
      connect(host, 'instagram', { decline: 'instagram_business_content_publish' }),
    ).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('instagram_business_content_publish'),
    });
    const without = await connect(host, 'instagram', { decline: 'instagram_business_manage_comments' });
    expect(without.scopes).not.toContain('instagram_business_manage_comments');
  });

  test('tells the owner of a personal account to switch it', async () => {
    await expect(connect(host, 'instagram', { as: 'demo_personal' })).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('@demo_personal is a personal account'),
    });
  });

  test('accepts creators, whatever the spelling of their type', async () => {
    expect((await connect(host, 'instagram', { as: 'demo_second' })).account.username).toBe('demo_second');
    const body = JSON.stringify({
      id: '1',
      user_id: '17841400000000001',
      username: 'demo',
      account_type: 'Media_Creator',
    });
    host.failNext({ match: /\/me\?/, respond: { status: 200, body } });
    expect((await connect(host)).account).toMatchObject({ username: 'demo', avatar_url: null });
  });

  test('falls back to `me` where the host does not know the account by its id', async () => {
    mode('demo', { known_by: 'me' });
    await connect(host);
    expect(host.traffic.at(-1)!.url).toContain('/me/content_publishing_limit');
  });

  test('never has a token or a secret in an error message', async () => {
    const authorized = await authorize(host, 'instagram');
    const quoting = JSON.stringify({
      error: {
        message: `Cannot parse ${appOf('instagram').client_secret}`,
        type: 'OAuthException',
        code: 190,
      },
    });
    host.failNext({ match: /graph\.instagram\.com\/v26.0\/me/, respond: { status: 400, body: quoting } });
    const error: unknown = await wayOf('instagram')
      .exchange(authorized, connectContext(host))
      .catch((thrown: unknown) => thrown);
    expect(String(error)).not.toContain('IGAA');
  });
});

describe('renewing a token of Instagram Login', () => {
  test('returns another 60 days and the present picture', async () => {
    const grant = await connect(host);
    host.advance(grant.renew_at! - host.now());
    const renewal = await renew(grant, 'instagram');
    expect(renewal).toMatchObject({
      credentials: { login: 'instagram', access_token: expect.stringMatching(/^IGAA/) },
      expires_at: host.now() + 60 * DAY,
      account: { username: 'demo', avatar_url: expect.stringContaining('scontent') },
    });
    expect(renewal.credentials['access_token']).not.toBe(grant.credentials['access_token']);
  });

  test('is scheduled after the age of 24 hours, before which Instagram refuses it', async () => {
    const grant = await connect(host);
    host.advance(DAY - 1);
    await expect(renew(grant, 'instagram')).rejects.toMatchObject({ kind: 'rejected' });
    expect(grant.renew_at! - host.now()).toBeGreaterThan(HOUR);
  });

  test('keeps the new token when the account cannot be read', async () => {
    const grant = await connect(host);
    host.advance(2 * DAY);
    host.failNext({ match: /\/me\?/, respond: { status: 500 } });
    const renewal = await renew(grant, 'instagram');
    expect(renewal.credentials['access_token']).toMatch(/^IGAA/);
    expect(renewal.account).toBeUndefined();
  });

  test('ends with a reconnect once the token has expired or was revoked', async () => {
    const expired = await connect(host);
    host.advance(60 * DAY);
    await expect(renew(expired, 'instagram')).rejects.toMatchObject({ kind: 'token_expired' });
    const revoked = await connect(host);
    host.platform.tokens('revoke', 'demo');
    await expect(renew(revoked, 'instagram')).rejects.toMatchObject({ kind: 'token_expired' });
  });

  test('is tried again after an error of the server', async () => {
    const grant = await connect(host);
    host.failNext({ match: /refresh_access_token/, respond: { status: 503 } });
    await expect(renew(grant, 'instagram')).rejects.toMatchObject({ kind: 'transient' });
  });
});

describe('Facebook Login', () => {
  test('uses the app of Facebook and requires a target', () => {
    expect(wayOf('facebook')).toMatchObject({ app_platform: 'facebook', targets: 'required' });
  });

  test('returns the user, and the linked accounts with their Page tokens as targets', async () => {
    const grant = await connect(host, 'facebook');
    expect(grant).toMatchObject({
      account: { platform_user_id: '122100000000000001', display_name: 'Demo User' },
      credentials: { login: 'facebook', user_token: expect.stringMatching(/^EAA/) },
      expires_at: host.now() + 90 * DAY,
      renew_at: host.now() + DAY,
    });
    expect(await targets(grant, 'facebook')).toEqual([
      {
        id: '17841400000000001',
        name: '@demo',
        attributes: { page_id: '102938475610293', page_name: 'Demo Page', username: 'demo' },
        secrets: { page_token: expect.stringMatching(/^EAA/) },
      },
    ]);
  });

  test('lists every linked account that the user may publish to', async () => {
    const everything = { '102938475610293': ['CREATE_CONTENT'], '61550000000000002': ['MANAGE'] };
    mode('demo_pages', { roles: everything });
    const grant = await connect(host, 'facebook', { as: 'demo_pages' });
    expect((await targets(grant, 'facebook')).map(({ name }) => name)).toEqual(['@demo', '@demo_second']);
    mode('demo_pages', { roles: { ...everything, '61550000000000002': ['ANALYZE'] } });
    expect((await targets(grant, 'facebook')).map(({ name }) => name)).toEqual(['@demo']);
  });

  test.each(['demo_none', 'demo_business'])(
    'tells %s, whose Pages have no linked account, what to do',
    async as => {
      await expect(connect(host, 'facebook', { as })).rejects.toMatchObject({
        kind: 'rejected',
        code: 'PERMISSION_MISSING',
        message: expect.stringContaining('linked to an Instagram professional account'),
      });
    },
  );

  test('names a permission that was declined', async () => {
    await expect(connect(host, 'facebook', { decline: 'instagram_content_publish' })).rejects.toMatchObject({
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('instagram_content_publish'),
    });
  });

  test('extends the user token daily until a week before Meta ends the access', async () => {
    const grant = await connect(host, 'facebook');
    host.advance(DAY);
    const renewal = await renew(grant, 'facebook');
    expect(renewal).toMatchObject({ renew_at: host.now() + DAY, expires_at: host.now() + 89 * DAY });
    host.advance(58 * DAY);
    const ending = JSON.stringify({
      data: {
        is_valid: true,
        expires_at: 0,
        data_access_expires_at: Math.floor(host.now() / 1000) + 6 * 86_400,
      },
    });
    host.failNext({ match: /debug_token/, respond: { status: 200, body: ending } });
    expect(await renew(grant, 'facebook')).toMatchObject({
      renew_at: null,
      expires_at: host.now() + 6 * DAY,
    });
  });

  test('keeps the account when only the user token has expired, and ends when access was withdrawn', async () => {
    const grant = await connect(host, 'facebook');
    host.advance(61 * DAY);
    expect((await renew(grant, 'facebook')).credentials).toEqual(grant.credentials);
    host.platform.tokens('revoke', 'demo');
    await expect(renew(grant, 'facebook')).rejects.toMatchObject({ kind: 'token_expired' });
  });
});

test('Instagram Login has no targets to list', async () => {
  expect(await targets(await connect(host), 'instagram')).toEqual([]);
});

test('an account that the app may not publish to is not connected', async () => {
  host.failNext({ match: /content_publishing_limit/, respond: graph(10) });
  await expect(connect(host)).rejects.toMatchObject({ code: 'PERMISSION_MISSING' });
});

test('the callbacks of Meta name the user of each login', async () => {
  const instagram = accountOf(await connect(host), 'instagram');
  const facebook = accountOf(await connect(host, 'facebook'), 'facebook');
  const { userOf, space } = connector.callbacks!;
  expect(userOf(instagram)).toEqual({ space, id: '26000000000000001' });
  expect(userOf(facebook)).toEqual({ space: 'facebook', id: '122100000000000001' });
});

test('disconnecting withdraws the permissions of Facebook Login', async () => {
  const grant = await connect(host, 'facebook');
  await connector.revoke!(accountOf(grant, 'facebook'), connectContext(host));
  expect(host.traffic.at(-1)).toMatchObject({ method: 'DELETE', status: 200 });
  await expect(targets(grant, 'facebook')).rejects.toMatchObject({ kind: 'token_expired' });
  await connector.revoke!(accountOf(await connect(host), 'instagram'), connectContext(host));
});
