import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { META_APP, META_SCOPES, metaSandbox } from '../../../../test/support/meta.ts';
import { startSandboxHost, type TestSandbox } from '../../../../test/support/sandbox-host.ts';
import { DAY } from '../../../time/instant.ts';
import {
  facebookApi,
  facebookDialogUrl,
  loginWithFacebook,
  revokeUser,
  userClient,
} from './facebook-login.ts';
import { graphClient } from './graph.ts';
import { listPages, mayPublish } from './pages.ts';
import { debugToken } from './permissions.ts';

const REDIRECT = 'https://service.example/v1/integrations/facebook/callback';
let host: TestSandbox;

beforeEach(async () => {
  host = await startSandboxHost(metaSandbox);
});
afterEach(() => host.close());

const context = (app: Record<string, string> & typeof META_APP = META_APP) => ({
  http: host.http,
  now: host.now,
  app,
  platform: 'Facebook',
});

/** Returns the parameters of the callback, as the user's browser gets them. */
async function authorize(more: Record<string, string> = {}, app: typeof META_APP = META_APP) {
  const page = facebookDialogUrl({ app, state: 's', redirect_uri: REDIRECT, scopes: META_SCOPES });
  const url = new URL(page);
  for (const [name, value] of Object.entries({ auto: 'allow', ...more })) url.searchParams.set(name, value);
  const { headers, status } = await host.http.send({ method: 'GET', url: url.href, timeoutMs: 30_000 });
  return headers['location'] === undefined
    ? { status: String(status) }
    : Object.fromEntries(new URL(headers['location']).searchParams);
}

async function login(more: Record<string, string> = {}, required: string[] = []) {
  const { code = '' } = await authorize(more);
  return loginWithFacebook({ code, redirect_uri: REDIRECT, required }, context());
}

const pagesOf = async (more: Record<string, string> = {}) => {
  const { token, scopes } = await login(more);
  return listPages(userClient(token, context()), { instagram: false, scopes });
};

describe('the login', () => {
  test('returns the user with a long-lived token', async () => {
    const user = await login();
    expect(user).toMatchObject({
      id: '122100000000000001',
      name: 'Demo User',
      picture_url: expect.stringContaining('https://'),
      expires_at: host.now() + 60 * DAY,
      scopes: META_SCOPES,
    });
    const app = graphClient({
      ...context(),
      api: facebookApi(META_APP, { platform: 'Facebook', errors: [] }),
      token: `${META_APP.client_id}|${META_APP.client_secret}`,
      appSecret: null,
    });
    expect(await debugToken(app, user.token)).toMatchObject({
      is_valid: true,
      user_id: user.id,
      type: 'USER',
    });
    expect(await debugToken(app, 'EAAunknown')).toMatchObject({ is_valid: false });
  });

  test('lasts 60 days where the response does not say', async () => {
    host.platform.change!('app', { no_expires_in: true });
    expect((await login()).expires_at).toBe(host.now() + 60 * DAY);
  });

  test('proves its calls to an app that requires it', async () => {
    host.platform.change!('app', { require_proof: true });
    await expect(login()).resolves.toMatchObject({ name: 'Demo User' });
  });

  test('uses a configuration in place of scopes', async () => {
    const app = { ...META_APP, config_id: '77' };
    const { code = '' } = await authorize({}, app);
    const user = await loginWithFacebook(
      { code, redirect_uri: REDIRECT, required: META_SCOPES },
      context(app),
    );
    expect(user.scopes).toEqual(META_SCOPES);
  });

  test('uses the version of the app', async () => {
    const app = { ...META_APP, graph_version: 'v27.0' };
    const { code = '' } = await authorize({}, app);
    await expect(
      loginWithFacebook({ code, redirect_uri: REDIRECT, required: [] }, context(app)),
    ).rejects.toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('graph_version') });
  });

  test('names the permissions that the user declined', async () => {
    const decline = { decline: 'pages_manage_posts,business_management' };
    await expect(
      login(decline, ['pages_show_list', 'pages_manage_posts', 'business_management']),
    ).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      message:
        'Facebook did not grant pages_manage_posts, business_management: connect again and allow all permissions',
    });
  });

  test('returns the refusal of the user', async () => {
    expect(await authorize({ auto: 'deny' })).toMatchObject({
      state: 's',
      error: 'access_denied',
      error_reason: 'user_denied',
    });
  });

  test('cannot use a code twice', async () => {
    const { code = '' } = await authorize();
    const use = () => loginWithFacebook({ code, redirect_uri: REDIRECT, required: [] }, context());
    await use();
    await expect(use()).rejects.toMatchObject({ kind: 'rejected', message: expect.stringContaining('used') });
  });

  test.each([
    ['another redirect_uri', { redirect_uri: 'https://other.example/' }, META_APP],
    ['a code that does not exist', { code: 'x' }, META_APP],
    ['a wrong app secret', {}, { ...META_APP, client_secret: 'wrong' }],
    ['another app', {}, { ...META_APP, client_id: '2' }],
  ])('fails for good with %s', async (_, input, app) => {
    const { code = '' } = await authorize();
    await expect(
      loginWithFacebook({ code, redirect_uri: REDIRECT, required: [], ...input }, context(app)),
    ).rejects.toMatchObject({ kind: 'rejected' });
  });

  test('ends with the revocation of everything', async () => {
    const user = await login();
    const { token } = user;
    const [page] = await listPages(userClient(token, context()), { instagram: false, scopes: [] });
    await revokeUser(user, context());
    const client = userClient(page!.access_token, context());
    await expect(listPages(client, { instagram: false, scopes: [] })).rejects.toMatchObject({
      kind: 'token_expired',
    });
  });
});

describe('the Pages of a user', () => {
  test('have tokens of their own and the linked Instagram account', async () => {
    const { token, scopes } = await login();
    const pages = await listPages(userClient(token, context()), { instagram: true, scopes });
    expect(pages).toEqual([
      {
        id: '102938475610293',
        name: 'Demo Page',
        username: 'demopage',
        access_token: expect.stringMatching(/^EAAP/),
        picture_url: expect.stringContaining('https://'),
        tasks: expect.arrayContaining(['CREATE_CONTENT']),
        instagram_business_account: {
          id: '17841400000000001',
          username: 'demo',
          name: 'Demo',
          profile_picture_url: expect.stringContaining('https://'),
        },
      },
    ]);
  });

  test('are read to the end of the list', async () => {
    host.platform.change!('app', { page_size: 1 });
    const pages = await pagesOf({ as: 'demo_pages' });
    expect(pages.map(({ name }) => name)).toEqual(['Demo Page', 'Second Page', 'Business Page']);
    expect(pages.map(mayPublish)).toEqual([true, false, true]);
  });

  test('include those of a business', async () => {
    expect((await pagesOf({ as: 'demo_business' })).map(({ name }) => name)).toEqual(['Business Page']);
    expect(await pagesOf({ as: 'demo_business', decline: 'business_management' })).toEqual([]);
  });

  test('are listed although the businesses are refused', async () => {
    host.failNext({
      match: /me\/businesses/,
      respond: { status: 403, body: '{"error":{"code":200,"message":"no"}}' },
    });
    expect(await pagesOf()).toHaveLength(1);
  });

  test('can be none', async () => {
    expect(await pagesOf({ as: 'demo_none' })).toEqual([]);
  });
});
