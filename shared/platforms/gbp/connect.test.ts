import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { connectContext, connectedAccount, oauthWay } from '../../../test/support/connectors.ts';
import { connect, targetsOf } from '../../../test/support/gbp.ts';
import { authorize } from '../../../test/support/google.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { connector } from './connect.ts';
import { sandbox } from './sandbox/server.ts';
import { APP } from './sandbox/state.ts';

const ACCOUNTS = /accountmanagement.*\/accounts/;

let host: TestSandbox;
beforeAll(async () => void (host = await startSandboxHost(sandbox)));
afterAll(() => host.close());
beforeEach(() => {
  host.platform.reset();
  host.setLimit(null);
  host.traffic.length = 0;
});

const requests = (match: RegExp) => host.traffic.filter(({ url }) => match.test(url));
const paramsOf = ({ url }: { url: string }) => Object.fromEntries(new URL(url).searchParams);

describe('connecting', () => {
  test('asks for one permission and returns the user with the picture of the only location', async () => {
    expect(await connect(host)).toMatchObject({
      account: {
        platform_user_id: 'accounts/105941832217235206541',
        display_name: 'Jane Doe',
        username: null,
        avatar_url: 'https://lh3.googleusercontent.com/p/AF1Qip-profile=s100',
      },
      credentials: { access_token: expect.any(String), refresh_token: expect.any(String) },
      scopes: ['https://www.googleapis.com/auth/business.manage'],
    });
    expect(oauthWay(connector).scopes).toEqual(['https://www.googleapis.com/auth/business.manage']);
  });

  test('succeeds without a profile photo', async () => {
    host.platform.change!('demo', { photo: false });
    expect((await connect(host)).account.avatar_url).toBeNull();
  });

  test('names the permission that the user left out', async () => {
    await expect(connect(host, { without: 'business.manage' })).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('managing business listings on Google (business.manage)'),
    });
  });

  test('says that a user without a business must create one', async () => {
    await expect(connect(host, { as: 'demo_none' })).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('manages no business location'),
    });
  });

  test('names every location whose posts nobody sees, and why', async () => {
    await expect(connect(host, { as: 'demo_unverified' })).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining(
        'New Shop (not verified), Waiting Shop (not verified, verification is pending), Bad Shop (suspended), Taken Shop (claimed by another owner)',
      ),
    });
  });

  test('accepts locations whose state cannot be read', async () => {
    const body = JSON.stringify({ error: { code: 403, message: 'no', status: 'PERMISSION_DENIED' } });
    host.failNext({ match: /VoiceOfMerchantState/, respond: { status: 403, body } });
    await expect(connect(host, { as: 'demo_unverified' })).resolves.toBeDefined();
  });

  test('tells the operator that Google has not approved the Cloud project', async () => {
    host.setLimit({ quota: 'zero' });
    await expect(connect(host)).rejects.toMatchObject({
      kind: 'rejected',
      code: 'QUOTA_EXHAUSTED',
      message: expect.stringContaining('Apply for Basic API Access'),
    });
  });
});

describe('targets', () => {
  test('are the locations, each once, under the group that the user manages', async () => {
    expect(await targetsOf(host, await connect(host))).toEqual([
      {
        id: '12341542785316514841',
        name: 'Corner Bakery',
        attributes: {
          parent: 'accounts/110000000000000000001/locations/12341542785316514841',
          language: 'en',
          maps_url: 'https://maps.google.com/maps?cid=12341542785316514841',
        },
        secrets: null,
      },
    ]);
  });

  test('come from all pages of all accounts; the address tells a chain apart', async () => {
    const targets = await targetsOf(host, await connect(host, { as: 'demo_many' }));
    expect(targets).toHaveLength(120);
    expect(targets.slice(0, 3).map(({ name }) => name)).toEqual([
      'Chain (1 Main St, Mountain View)',
      'Chain (2 Main St, Mountain View)',
      'Shop 2',
    ]);
    expect(targets[0]!.attributes['language']).toBe('de');
    expect(requests(ACCOUNTS).map(paramsOf)).toMatchObject([
      { pageSize: '20' },
      { pageSize: '20', pageToken: expect.any(String) },
      { pageSize: '20' },
      { pageSize: '20', pageToken: expect.any(String) },
    ]);
    expect(paramsOf(requests(/businessinformation/)[0]!)).toMatchObject({
      readMask: expect.stringContaining('name,title'),
      pageSize: '100',
    });
  });

  test('include a location in bad standing beside a good one, marked', async () => {
    const targets = await targetsOf(host, await connect(host, { as: 'demo_mixed' }));
    expect(targets.map(({ name, attributes }) => [name, attributes['unconfirmed']])).toEqual([
      ['Good Shop', undefined],
      ['Bad Shop', 'true'],
    ]);
  });

  test('of other accounts are listed although one account denies its list', async () => {
    const grant = await connect(host);
    const body = JSON.stringify({ error: { code: 403, message: 'no', status: 'PERMISSION_DENIED' } });
    host.failNext({ match: /accounts\/110000000000000000001\/locations/, respond: { status: 403, body } });
    expect(await targetsOf(host, grant)).toMatchObject([
      { attributes: { parent: 'accounts/105941832217235206541/locations/12341542785316514841' } },
    ]);
  });

  test('are not listed in part: a failed page fails the list', async () => {
    const grant = await connect(host, { as: 'demo_many' });
    host.failNext({ match: /locations\?.*pageToken/, respond: { status: 503, body: '' } });
    await expect(targetsOf(host, grant)).rejects.toMatchObject({ kind: 'transient' });
  });
});

describe('a connection', () => {
  test('is renewed with its refresh token, and ends when it is revoked', async () => {
    const grant = await connect(host);
    const account = connectedAccount(grant, { app: APP });
    const renewal = await connector.renew!(account, connectContext(host));
    expect(renewal.credentials['refresh_token']).toBe(grant.credentials['refresh_token']);
    await connector.revoke!(account, connectContext(host));
    await expect(connector.renew!(account, connectContext(host))).rejects.toMatchObject({
      kind: 'token_expired',
    });
  });

  test('needs a valid token with the permission', async () => {
    const grant = await connect(host);
    host.platform.tokens('expire', 'demo');
    await expect(targetsOf(host, grant)).rejects.toMatchObject({
      kind: 'token_expired',
      code: 'TOKEN_EXPIRED',
    });
    const { code, ...input } = await authorize(host, connector, APP, { auto: 'deny' });
    expect([code, input.back?.get('error')]).toEqual(['', 'access_denied']);
  });
});
