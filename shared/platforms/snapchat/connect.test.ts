import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  connectContext,
  connectedAccount,
  oauthWay,
  type AnyGrant,
} from '../../../test/support/connectors.ts';
import { startSandboxHost, type Fault, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { authorize, connect, REDIRECT } from '../../../test/support/snapchat.ts';
import { connector } from './connect.ts';
import { sandbox } from './sandbox/server.ts';
import { APP, DEMO, STUDIO } from './sandbox/state.ts';

const MINUTE = 60_000;
const TOKEN = /access_token$/;
const PROFILE = /my_profile$/;
const LIST = /\/organizations\//;

let host: TestSandbox;
beforeAll(async () => void (host = await startSandboxHost(sandbox)));
afterAll(() => host.close());
beforeEach(() => {
  host.platform.reset();
  host.setLimit(null);
  host.traffic.length = 0;
});

type Answer = NonNullable<Fault['respond']>;
const oauth = oauthWay(connector);
const json = (status: number, body: object): Answer => ({ status, body: JSON.stringify(body) });
const answer = (match: RegExp, respond: Answer, times = 1) => host.failNext({ match, respond, times });
const renew = (grant: AnyGrant, app: typeof APP | null = APP) =>
  connector.renew!(connectedAccount(grant, { app }), connectContext(host));
const targets = (grant: AnyGrant) =>
  connector.listTargets!(connectedAccount(grant, { app: APP }), connectContext(host));

describe('connecting', () => {
  test('sends the user to the consent page of the Public Profile API', () => {
    const input = { app: APP, state: 's', redirect_uri: REDIRECT, code_challenge: 'c' };
    const url = new URL(oauth.authorizeUrl(input));
    expect(url.origin + url.pathname).toBe('https://accounts.snapchat.com/login/oauth2/authorize');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: APP.client_id,
      redirect_uri: REDIRECT,
      response_type: 'code',
      scope: 'snapchat-profile-api',
      state: 's',
    });
  });

  test('returns the public profile as the account, with its tokens', async () => {
    expect(await connect(host)).toEqual({
      account: {
        platform_user_id: DEMO.id,
        display_name: 'Demo Profile',
        username: 'demo',
        avatar_url: expect.stringContaining('.640.jpg'),
      },
      credentials: {
        access_token: expect.stringMatching(/^eyJpc3Mi/),
        refresh_token: expect.stringMatching(/^eyJraWQi/),
      },
      scopes: ['snapchat-profile-api'],
      attributes: { organization_id: DEMO.organization_id },
      renew_at: host.now() + 45 * MINUTE,
      expires_at: host.now() + 60 * MINUTE,
    });
    const { body } = host.traffic.find(({ url }) => TOKEN.test(url))!;
    expect(Object.fromEntries(new URLSearchParams(body.toString()))).toEqual({
      grant_type: 'authorization_code',
      code: expect.any(String),
      redirect_uri: REDIRECT,
      ...APP,
    });
  });

  const bare = { id: DEMO.id };
  test.each([
    ['in public_profile', { public_profile: bare }],
    ['in a list', { public_profiles: [{ public_profile: bare }] }],
    ['in me', { me: bare }],
  ])('reads a profile %s that has an id only', async (_, body) => {
    answer(PROFILE, json(200, { request_status: 'success', ...body }));
    expect(await connect(host)).toMatchObject({
      account: {
        platform_user_id: DEMO.id,
        display_name: 'Snapchat profile',
        username: null,
        avatar_url: null,
      },
      attributes: {},
    });
  });

  test('falls back to the original logo', async () => {
    const profile = { ...bare, logo_urls: { original_logo_url: 'https://e.com/o.jpg' } };
    answer(PROFILE, json(200, { request_status: 'SUCCESS', public_profile: profile }));
    expect((await connect(host)).account.avatar_url).toBe('https://e.com/o.jpg');
  });

  test.each<[string, () => void]>([
    ['404', () => void host.platform.change!('demo', { profile: false })],
    [
      'an error within 200',
      () => answer(PROFILE, json(200, { request_status: 'ERROR', debug_message: 'None' })),
    ],
    ['no profile', () => answer(PROFILE, json(200, { request_status: 'SUCCESS' }))],
  ])('tells a user without a public profile to create one (%s)', async (_, arrange) => {
    arrange();
    await expect(connect(host)).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      message: expect.stringMatching(/no public profile.*create one in the Snapchat app/),
    });
  });

  test('names the allowlist where the app is not on it', async () => {
    host.platform.change!('demo', { allowlisted: false });
    await expect(connect(host)).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('allowlist for the Public Profile API'),
    });
  });

  test('rejects a grant without the scope, and one without a refresh token', async () => {
    await expect(connect(host, { scope: 'snapchat-marketing-api' })).rejects.toMatchObject({
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('snapchat-profile-api'),
    });
    answer(TOKEN, json(200, { access_token: 'a', expires_in: 3600 }));
    await expect(connect(host)).rejects.toMatchObject({
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('no refresh token'),
    });
  });

  test('accepts a grant that does not say its scopes', async () => {
    const authorized = await authorize(host);
    const { credentials } = await connect(host);
    answer(TOKEN, json(200, { ...credentials, expires_in: 1800 }));
    expect(await oauth.exchange(authorized, connectContext(host))).toMatchObject({
      scopes: [],
      renew_at: host.now() + 15 * MINUTE,
      expires_at: host.now() + 30 * MINUTE,
    });
  });

  test('rejects a code that was used, has another redirect URI, has expired, or belongs to another app', async () => {
    const used = await authorize(host);
    await oauth.exchange(used, connectContext(host));
    const late = await authorize(host);
    const others = [
      used,
      { ...(await authorize(host)), redirect_uri: 'https://b.example/' },
      { ...(await authorize(host)), app: { ...APP, client_secret: 'no' } },
    ];
    for (const other of others) {
      await expect(oauth.exchange(other, connectContext(host))).rejects.toMatchObject({ kind: 'rejected' });
    }
    host.advance(11 * MINUTE);
    await expect(oauth.exchange(late, connectContext(host))).rejects.toMatchObject({ kind: 'rejected' });
  });

  test('returns the user with an error after a denied consent', async () => {
    const { back } = await authorize(host, { auto: 'deny' });
    expect([back?.get('error'), back?.get('state')]).toEqual(['access_denied', 'state-1']);
  });

  test('is refused by Snapchat with a redirect URI over http', async () => {
    expect((await authorize(host, { redirect_uri: 'http://app.example.com/callback' })).status).toBe(400);
    expect((await authorize(host, { redirect_uri: 'http://127.0.0.1:3000/callback' })).status).toBe(302);
  });
});

describe('targets', () => {
  test('are the own profile and those of the business', async () => {
    const listed = await targets(await connect(host));
    expect(listed.map(({ id, name }) => [id, name])).toEqual([
      [DEMO.id, 'Demo Profile'],
      [STUDIO.id, 'Demo Studio'],
    ]);
    expect(listed[1]).toMatchObject({ attributes: { username: 'demo_studio' }, secrets: null });
  });

  test('of several pages are all read, without members that failed', async () => {
    const grant = await connect(host);
    const page = (id: string, next?: string) =>
      json(200, {
        request_status: 'PARTIAL',
        public_profiles: [
          { sub_request_status: 'SUCCESS', public_profile: { id } },
          { sub_request_status: 'ERROR', sub_request_error_reason: 'Gone' },
        ],
        paging: next === undefined ? {} : { next_page_id: next },
      });
    answer(LIST, page('p1', 'two'));
    answer(LIST, page('p2'));
    expect((await targets(grant)).map(({ id }) => id)).toEqual([DEMO.id, 'p1', 'p2']);
    const queries = host.traffic.filter(({ url }) => LIST.test(url)).map(({ url }) => new URL(url).search);
    expect(queries).toEqual(['?limit=100', '?limit=100&cursor=two']);
  });

  test('are the own profile alone without an organization, and without a role in it', async () => {
    const other = await connect(host, { as: 'demo_other' });
    expect(await targets(other)).toHaveLength(1);
    const grant = await connect(host);
    answer(LIST, { status: 403 });
    expect((await targets(grant)).map(({ id }) => id)).toEqual([DEMO.id]);
    answer(LIST, { status: 500 });
    await expect(targets(grant)).rejects.toMatchObject({ kind: 'transient' });
  });
});

describe('renewing', () => {
  test('keeps the refresh token where none comes, and stores a new one that comes', async () => {
    const grant = await connect(host);
    answer(TOKEN, json(200, { access_token: 'b', expires_in: 3600 }));
    expect(await renew(grant)).toEqual({
      credentials: { access_token: 'b', refresh_token: grant.credentials['refresh_token'] },
      renew_at: host.now() + 45 * MINUTE,
      expires_at: host.now() + 60 * MINUTE,
    });
    host.platform.change!('demo', { rotates: true });
    const { credentials } = await renew(grant);
    expect(credentials['refresh_token']).not.toBe(grant.credentials['refresh_token']);
    await expect(renew(grant)).rejects.toMatchObject({ kind: 'token_expired', code: 'TOKEN_EXPIRED' });
    expect(await renew({ ...grant, credentials: credentials as AnyGrant['credentials'] })).toBeDefined();
  });

  test.each<[Answer, object]>([
    [json(400, { error: 'invalid_grant', error_description: 'revoked' }), { kind: 'token_expired' }],
    [json(401, { error: 'invalid_grant' }), { kind: 'token_expired', code: 'TOKEN_EXPIRED' }],
    [json(401, { error: 'invalid_client' }), { kind: 'transient', code: 'INTERNAL' }],
    [json(400, { error: 'unauthorized_client' }), { kind: 'transient', code: 'INTERNAL' }],
    [{ status: 403 }, { kind: 'transient', code: 'INTERNAL' }],
    [{ status: 429 }, { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: undefined }],
    [
      { status: 429, headers: { 'retry-after': '7' } },
      { kind: 'rate_limited', retryAfterMs: 7000 },
    ],
    [
      { status: 503, body: '<html>' },
      { kind: 'transient', code: 'PLATFORM_UNAVAILABLE' },
    ],
    [json(200, { access_token: '', expires_in: 1 }), { kind: 'transient', code: 'PLATFORM_UNAVAILABLE' }],
  ])('classifies the response %j as %j', async (respond, error) => {
    const grant = await connect(host);
    answer(TOKEN, respond);
    await expect(renew(grant)).rejects.toMatchObject(error);
  });

  test('needs the app', async () => {
    await expect(renew(await connect(host), null)).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  test('follows from an access token that has expired', async () => {
    const grant = await connect(host);
    host.advance(60 * MINUTE);
    await expect(targets(grant)).rejects.toMatchObject({ kind: 'token_expired', code: 'TOKEN_EXPIRED' });
    const { credentials } = await renew(grant);
    expect(await targets({ ...grant, credentials: credentials as AnyGrant['credentials'] })).toHaveLength(2);
  });
});
