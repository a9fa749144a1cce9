import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  connectContext,
  connectedAccount,
  oauthWay,
  type AnyGrant,
} from '../../../test/support/connectors.ts';
import { authorize, COMMUNITY_APP, connect, SELF_SERVE_APP } from '../../../test/support/linkedin.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { DAY } from '../../time/instant.ts';
import { readApp, versionNotice } from './app.ts';
import { connector } from './connect.ts';
import { readNewMember } from './identity.ts';
import { sandbox } from './sandbox/server.ts';

const TOKEN = /oauth\/v2\/accessToken/;
const oauth = oauthWay(connector);

let host: TestSandbox;
beforeAll(async () => void (host = await startSandboxHost(sandbox)));
afterAll(() => host.close());
beforeEach(() => host.platform.reset());

const renew = (grant: AnyGrant, app = COMMUNITY_APP) =>
  connector.renew!(connectedAccount(grant, { app }), connectContext(host));
const targets = (grant: AnyGrant, app = COMMUNITY_APP) =>
  connector.listTargets!(connectedAccount(grant, { app }), connectContext(host));

describe('the consent page', () => {
  const scopeOf = (app: typeof COMMUNITY_APP) =>
    new URL(oauth.authorizeUrl({ app, state: 's', redirect_uri: 'https://a.example', code_challenge: 'c' }))
      .searchParams;

  test('is asked for the scopes of the kind of app, without PKCE', () => {
    expect(scopeOf(SELF_SERVE_APP).get('scope')).toBe('openid profile email w_member_social');
    expect(scopeOf({ ...COMMUNITY_APP, extra_scopes: '' }).get('scope')).toBe(
      'r_basicprofile w_member_social w_organization_social r_organization_social rw_organization_admin',
    );
    expect(scopeOf(COMMUNITY_APP).get('scope')).toMatch(/ r_member_postAnalytics$/);
    expect(scopeOf(SELF_SERVE_APP).get('code_challenge')).toBeNull();
    expect(
      oauth.authorizeUrl({ app: SELF_SERVE_APP, state: 's', redirect_uri: 'https://a', code_challenge: '' }),
    ).toContain('scope=openid%20profile%20email%20w_member_social');
  });

  test('returns the user with an error after a denied consent, or for scopes that the app does not have', async () => {
    const denied = await authorize(host, SELF_SERVE_APP, { auto: 'deny' });
    expect(denied.back?.get('error')).toBe('user_cancelled_authorize');
    const mixed = await authorize(host, { ...SELF_SERVE_APP, kind: 'community' });
    expect(mixed.back?.get('error')).toBe('unauthorized_scope_error');
    const openid = await authorize(host, { ...COMMUNITY_APP, kind: 'self_serve' });
    expect(openid.back?.get('error')).toBe('unauthorized_scope_error');
  });
});

describe('connecting', () => {
  test('with a self-serve app returns the member and 60 days without renewal', async () => {
    const grant = await connect(host, SELF_SERVE_APP);
    expect(grant).toMatchObject({
      account: { platform_user_id: '782bbtaQ', display_name: 'Demo Member', username: null },
      credentials: { access_token: expect.any(String), refresh_token: null, refresh_expires_at: null },
      scopes: ['openid', 'profile', 'email', 'w_member_social'],
      attributes: { kind: 'self_serve', scopes: 'openid profile email w_member_social' },
      renew_at: null,
      expires_at: host.now() + 60 * DAY,
    });
    expect(grant.account.avatar_url).toMatch(/^https:\/\/media\.licdn\.com/);
  });

  test('with a community app returns the member and a refresh token', async () => {
    expect(await connect(host)).toMatchObject({
      account: {
        platform_user_id: '782bbtaQ',
        display_name: 'Demo Member',
        username: 'demo',
        avatar_url: null,
      },
      credentials: { refresh_token: expect.any(String), refresh_expires_at: host.now() + 365 * DAY },
      attributes: { kind: 'community' },
      renew_at: host.now() + 53 * DAY,
      expires_at: host.now() + 60 * DAY,
    });
  });

  test('with a community app that LinkedIn has not enabled for refresh tokens is without renewal', async () => {
    host.platform.change?.('app', { refresh_tokens: false });
    expect(await connect(host)).toMatchObject({ credentials: { refresh_token: null }, renew_at: null });
  });

  test.each([undefined, null, 7])('works when the picture is %j', async picture => {
    const body = JSON.stringify({ sub: 'a-1', given_name: 'Ann', family_name: 'Lee', picture });
    host.failNext({ match: /userinfo/, respond: { status: 200, body } });
    expect((await connect(host, SELF_SERVE_APP)).account).toEqual({
      platform_user_id: 'a-1',
      display_name: 'Ann Lee',
      username: null,
      avatar_url: null,
    });
  });

  test('reads the member again when the new token is refused for a moment', async () => {
    const { credentials } = await connect(host, SELF_SERVE_APP);
    const caller = { http: host.http, token: credentials['access_token']!, version: '202609', now: host.now };
    const body = '{"status":401,"serviceErrorCode":65601,"code":"REVOKED_ACCESS_TOKEN"}';
    host.failNext({ match: /userinfo/, respond: { status: 401, body } });
    expect(await readNewMember(caller, 'self_serve', 1)).toMatchObject({ platform_user_id: '782bbtaQ' });
    host.failNext({ match: /userinfo/, respond: { status: 401, body }, times: 2 });
    await expect(readNewMember(caller, 'self_serve', 1)).rejects.toMatchObject({ kind: 'token_expired' });
  });

  test('rejects a grant without permission to post', async () => {
    const body = JSON.stringify({ access_token: 'a', expires_in: 5184000, scope: 'openid,profile' });
    const authorized = await authorize(host, SELF_SERVE_APP);
    host.failNext({ match: TOKEN, respond: { status: 200, body } });
    await expect(oauth.exchange(authorized, connectContext(host))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
    });
  });

  test('rejects a code that was used, is older than 30 minutes or has another redirect URI', async () => {
    const used = await authorize(host, SELF_SERVE_APP);
    await oauth.exchange(used, connectContext(host));
    const late = await authorize(host, SELF_SERVE_APP);
    host.advance(30 * 60_000);
    const other = { ...(await authorize(host, SELF_SERVE_APP)), redirect_uri: 'https://other.example' };
    for (const refused of [used, late, other]) {
      await expect(oauth.exchange(refused, connectContext(host))).rejects.toMatchObject({ kind: 'rejected' });
    }
  });
});

describe('renewing', () => {
  test('returns a new access token; the life of the refresh token counts down', async () => {
    const grant = await connect(host);
    host.advance(50 * DAY);
    const renewal = await renew(grant);
    expect(renewal).toMatchObject({
      credentials: {
        refresh_token: grant.credentials['refresh_token'],
        refresh_expires_at: grant.credentials['refresh_expires_at'],
      },
      expires_at: host.now() + 60 * DAY,
      attributes: { scopes: grant.attributes['scopes'] },
    });
    expect(renewal.credentials['access_token']).not.toBe(grant.credentials['access_token']);
  });

  test('is not planned beyond the life of the refresh token', async () => {
    const grant = await connect(host);
    host.advance(320 * DAY);
    expect(await renew(grant)).toMatchObject({ renew_at: null, expires_at: host.now() + 60 * DAY });
  });

  test('keeps what the response leaves out', async () => {
    const grant = await connect(host);
    const body = JSON.stringify({ access_token: 'next', expires_in: 5184000 });
    host.failNext({ match: TOKEN, respond: { status: 200, body } });
    const { refresh_token, refresh_expires_at } = grant.credentials;
    const { credentials, scopes } = await renew(grant);
    expect([credentials, scopes]).toEqual([
      { access_token: 'next', refresh_token, refresh_expires_at },
      undefined,
    ]);
  });

  test('ends when the grant was revoked, or has no refresh token', async () => {
    const grant = await connect(host);
    host.platform.tokens('revoke', 'demo');
    await expect(renew(grant)).rejects.toMatchObject({ kind: 'token_expired', code: 'TOKEN_EXPIRED' });
    const selfServe = await connect(host, SELF_SERVE_APP);
    await expect(renew(selfServe, SELF_SERVE_APP)).rejects.toMatchObject({ kind: 'token_expired' });
  });

  test.each([
    [503, '<html>', { kind: 'transient', outcomeUnknown: true }],
    [200, '<html>', { kind: 'transient', outcomeUnknown: true }],
    [200, '{"access_token":"","expires_in":1}', { kind: 'transient' }],
    [429, '', { kind: 'rate_limited' }],
    [401, '{"error":"invalid_client","error_description":"x"}', { kind: 'transient', code: 'INTERNAL' }],
    [400, '{"error":"unauthorized_client"}', { kind: 'transient', code: 'INTERNAL' }],
    [
      400,
      '{"error":"invalid_request","error_description":"A required parameter is missing"}',
      { code: 'INTERNAL' },
    ],
    [
      400,
      '{"error":"invalid_request","error_description":"The refresh token is expired"}',
      { kind: 'token_expired' },
    ],
    [400, '{"error":"invalid_grant"}', { kind: 'token_expired' }],
  ])('classifies the response %i %s as %j', async (status, body, error) => {
    const grant = await connect(host);
    host.failNext({ match: TOKEN, respond: { status, body } });
    await expect(renew(grant)).rejects.toMatchObject(error);
  });
});

test('revokes both tokens', async () => {
  const grant = await connect(host);
  await connector.revoke!(connectedAccount(grant, { app: COMMUNITY_APP }), connectContext(host));
  await expect(renew(grant)).rejects.toMatchObject({ kind: 'token_expired' });
  await expect(targets(grant)).rejects.toMatchObject({ kind: 'token_expired' });
});

describe('targets', () => {
  test('are the organizations that the member may post for, with their names where they can be read', async () => {
    expect(await targets(await connect(host))).toEqual([
      {
        id: 'urn:li:organization:2414183',
        name: 'Demo Company',
        attributes: { role: 'ADMINISTRATOR' },
        secrets: null,
      },
      {
        id: 'urn:li:organization:2414184',
        name: 'Demo Studio',
        attributes: { role: 'CONTENT_ADMINISTRATOR' },
        secrets: null,
      },
      {
        id: 'urn:li:organization:2414185',
        name: '2414185',
        attributes: { role: 'ADMINISTRATOR' },
        secrets: null,
      },
    ]);
  });

  test('are read page by page, each once, with the stronger role', async () => {
    const grant = await connect(host);
    const acl = (id: number, role: string, key = 'organization') => ({
      role,
      state: 'APPROVED',
      [key]: `urn:li:organization:${id}`,
    });
    const first = Array.from({ length: 100 }, (_, n) => acl(n + 1, 'CONTENT_ADMINISTRATOR'));
    const second = [
      acl(1, 'ADMINISTRATOR'),
      acl(7, 'ANALYST'),
      acl(500, 'ADMINISTRATOR', 'organizationTarget'),
    ];
    for (const elements of [first, second]) {
      const body = JSON.stringify({ elements });
      host.failNext({ match: /organizationAcls/, respond: { status: 200, body } });
    }
    const found = await targets(grant);
    expect(found).toHaveLength(101);
    expect(found[0]).toMatchObject({ id: 'urn:li:organization:1', attributes: { role: 'ADMINISTRATOR' } });
    expect(found.at(-1)).toMatchObject({ id: 'urn:li:organization:500' });
    const names = host.traffic.filter(({ url }) => url.includes('/rest/organizations?'));
    expect(names.at(-2)?.url).toMatch(/\?ids=List\(1,2,3,/);
  });

  test.each([
    [2414183, 'Demo Company'],
    [2414185, '2414185'],
    [7, '7'],
  ])('are one organization, %i, with its name where it can be read', async (id, name) => {
    const grant = await connect(host);
    const element = {
      role: 'ADMINISTRATOR',
      state: 'APPROVED',
      organization: `urn:li:organization:${id}`,
    };
    const body = JSON.stringify({ elements: [element] });
    host.failNext({ match: /organizationAcls/, respond: { status: 200, body } });
    expect(await targets(grant)).toMatchObject([{ id: element.organization, name }]);
    expect(host.traffic.at(-1)?.url).toBe(`https://api.linkedin.com/rest/organizations/${id}`);
    host.failNext({ match: /organizationAcls/, respond: { status: 200, body } });
    host.failNext({ match: /\/organizations\//, respond: { status: 500 } });
    await expect(targets(grant)).rejects.toMatchObject({ kind: 'transient' });
  });

  test('do not exist for a self-serve app', async () => {
    const before = host.traffic.length;
    const grant = await connect(host, SELF_SERVE_APP);
    const connected = host.traffic.length;
    expect(await targets(grant, SELF_SERVE_APP)).toEqual([]);
    expect(host.traffic.length).toBe(connected);
    expect(connected).toBeGreaterThan(before);
  });
});

describe('the app', () => {
  const app = { client_id: 'a', client_secret: 'b' };

  test('is a self-serve app with the pinned version by default', () => {
    expect(readApp(null)).toMatchObject({ kind: 'self_serve', version: '202609' });
    expect(readApp({ ...app, kind: 'odd' })).toMatchObject({ kind: 'self_serve' });
    expect(readApp({ ...app, kind: 'community', api_version: '202611' }).version).toBe('202611');
    // Extra scopes belong to community apps: one of them would break the login of another.
    expect(readApp({ ...app, extra_scopes: 'w_member_social_feed' }).scopes).toHaveLength(4);
  });

  test.each([
    ['202609', '2027-07-16T00:00:00Z', null],
    [
      '202609',
      '2027-07-18T00:00:00Z',
      /^Version 202609 of LinkedIn's API ends about 2027-09-15: set api_version/,
    ],
    ['202609', '2027-09-15T00:00:00Z', /ended about 2027-09-15/],
    ['202701', '2027-11-15T00:00:00Z', null],
    ['202701', '2027-11-17T00:00:00Z', /ends about 2028-01-15/],
  ])('with version %s is warned about at %s: %s', (api_version, now, notice) => {
    const found = versionNotice({ ...app, api_version }, Date.parse(now));
    if (notice === null) expect(found).toBeNull();
    else expect(found).toMatch(notice);
  });

  test('sends its version with every versioned call', async () => {
    const own = { ...COMMUNITY_APP, api_version: '202610' };
    await targets(await connect(host, own), own);
    expect(host.traffic.at(-1)?.headers).toMatchObject({
      'linkedin-version': '202610',
      'x-restli-protocol-version': '2.0.0',
    });
  });
});
