import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Hono } from 'hono';
import { connectContext, connectedAccount, oauthWay } from '../../../../test/support/connectors.ts';
import { authorize as authorizeWith } from '../../../../test/support/google.ts';
import { startSandboxHost, type TestSandbox } from '../../../../test/support/sandbox-host.ts';
import { defineConnector } from '../../contract/connector.ts';
import type { SandboxDefinition } from '../../contract/sandbox.ts';
import { GoogleCredentialsSchema, type GoogleCredentials } from './credentials.ts';
import {
  checkGoogleApp,
  exchangeGoogleCode,
  googleAuthorizeUrl,
  renewGoogleTokens,
  revokeGoogleGrant,
} from './oauth.ts';
import { addGoogleOAuth } from './sandbox/oauth.ts';
import { endTokens } from '../../kit/sandbox/tokens.ts';

const APP = { client_id: 'client', client_secret: 'secret' };
const EDIT = { scope: 'https://www.googleapis.com/auth/things.edit', purpose: 'editing things' };
const READ = { scope: 'https://www.googleapis.com/auth/things.read', purpose: 'reading things' };
const DAY = 86_400_000;

let isTesting = false;
const sandbox: SandboxDefinition = {
  platform: 'youtube',
  badge: { name: 'Google', letters: 'G', color: 'black' },
  hosts: ['accounts.google.com', 'oauth2.googleapis.com'],
  demo: { app: APP },
  start: host => {
    const app = new Hono();
    const tokens = addGoogleOAuth(app, {
      host,
      client: APP,
      scopes: [EDIT.scope, READ.scope],
      findAccount: (name = 'ann') => ({ id: name, name }),
      isTesting: () => isTesting,
    });
    return { app, tokens: (action, account) => endTokens(tokens, action, account), reset: () => undefined };
  },
};

const connector = defineConnector<GoogleCredentials>({
  credentials: GoogleCredentialsSchema,
  ways: [
    {
      kind: 'oauth',
      id: 'oauth',
      scopes: [EDIT.scope],
      authorizeUrl: input => googleAuthorizeUrl(input, [EDIT, READ]),
      exchange: async (input, context) => ({
        ...(await exchangeGoogleCode(input, [EDIT], context)),
        account: { platform_user_id: 'ann', display_name: 'Ann', username: null, avatar_url: null },
      }),
    },
  ],
  targets: 'none',
  renew: ({ app, credentials }, context) => renewGoogleTokens(app, credentials, context),
  revoke: ({ credentials }, context) => revokeGoogleGrant(credentials, context),
});

let host: TestSandbox;
beforeAll(async () => void (host = await startSandboxHost(sandbox)));
afterAll(() => host.close());

const authorize = (more: Record<string, string> = {}) => authorizeWith(host, connector, APP, more);
type Input = Awaited<ReturnType<typeof authorize>>;
const exchange = (input: Input) => oauthWay(connector).exchange(input, connectContext(host));
const connect = async (more: Record<string, string> = {}) => exchange(await authorize(more));
const TOKEN = /oauth2\.googleapis\.com\/token/;
const respond = (status: number, body: object | string, headers = {}) => ({
  match: TOKEN,
  respond: { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
});

describe('the consent page', () => {
  test('is asked for offline access and consent', async () => {
    await authorize();
    const query = new URL(host.traffic.at(-1)!.url).searchParams;
    expect(Object.fromEntries(query)).toMatchObject({
      client_id: 'client',
      access_type: 'offline',
      prompt: 'consent select_account',
      response_type: 'code',
      scope: `${EDIT.scope} ${READ.scope}`,
      code_challenge_method: 'S256',
      state: 'state-1',
    });
    expect(query.has('include_granted_scopes')).toBe(false);
  });

  test.each([
    ['client_id', 'other'],
    ['redirect_uri', 'http://example.com/callback'],
    ['response_type', 'token'],
    ['scope', 'https://www.googleapis.com/auth/everything'],
    ['code_challenge', 'short'],
    ['state', ''],
  ])('shows an error for an invalid %s', async (name, value) => {
    expect(await authorize({ [name]: value })).toMatchObject({ status: 400, back: null });
  });

  test('returns access_denied when the user cancels', async () => {
    const { back } = await authorize({ auto: 'deny' });
    expect(Object.fromEntries(back ?? [])).toEqual({ error: 'access_denied', state: 'state-1' });
  });
});

describe('the exchange of a code', () => {
  test('returns credentials, scopes and a lifetime of an hour', async () => {
    expect(await connect()).toMatchObject({
      credentials: {
        access_token: expect.stringMatching(/^ya29\./),
        refresh_token: expect.stringMatching(/^1\/\/0g/),
      },
      scopes: [EDIT.scope, READ.scope],
      attributes: {},
      expires_at: host.now() + 3_599_000,
      renew_at: expect.any(Number),
    });
  });

  test('names the permissions that were left out, unless they are optional', async () => {
    await expect(connect({ without: 'things.edit' })).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('editing things (things.edit)'),
    });
    expect(await connect({ without: 'things.read' })).toMatchObject({ scopes: [EDIT.scope] });
  });

  test('is refused without a refresh token', async () => {
    await connect();
    await expect(connect({ prompt: 'select_account' })).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('no refresh token'),
    });
    await expect(connect({ access_type: 'online' })).rejects.toMatchObject({ kind: 'rejected' });
  });

  test('tells when the grant of an app in testing ends', async () => {
    isTesting = true;
    const { attributes } = await connect();
    isTesting = false;
    expect(attributes).toEqual({ grant_ends_at: new Date(host.now() + 604_799_000).toISOString() });
  });

  test.each<[string, (input: Input) => Promise<Partial<Input>> | Partial<Input>, object]>([
    ['used twice', async input => (await exchange(input), {}), { code: 'CONTENT_REJECTED' }],
    ['expired', () => (host.advance(600_000), {}), { code: 'CONTENT_REJECTED' }],
    ['with another verifier', () => ({ code_verifier: 'x'.repeat(43) }), { code: 'CONTENT_REJECTED' }],
    ['malformed', () => ({ code: 'abc' }), { code: 'CONTENT_REJECTED' }],
    [
      'with another redirect URL',
      () => ({ redirect_uri: 'https://example.com/' }),
      { message: expect.stringContaining('authorized redirect URIs') },
    ],
    [
      'with another secret',
      () => ({ app: { ...APP, client_secret: 'wrong' } }),
      { code: 'INTERNAL', message: expect.stringContaining('client id and secret') },
    ],
  ])('rejects a code that is %s', async (_, change, error) => {
    const input = await authorize();
    await expect(exchange({ ...input, ...(await change(input)) })).rejects.toMatchObject({
      kind: 'rejected',
      ...error,
    });
  });

  test('is never repeated after a failure', async () => {
    host.failNext(respond(503, ''));
    await expect(connect()).rejects.toMatchObject({ kind: 'rejected', code: 'PLATFORM_UNAVAILABLE' });
  });
});

describe('a renewal', () => {
  const renew = (grant: Awaited<ReturnType<typeof connect>>, app = APP) =>
    connector.renew!(connectedAccount(grant, { app }), connectContext(host));

  test('keeps the refresh token, which Google does not send again', async () => {
    const grant = await connect();
    const renewed = await renew(grant);
    expect(renewed.credentials).toMatchObject({ refresh_token: grant.credentials['refresh_token'] });
    expect(renewed.credentials['access_token']).not.toBe(grant.credentials['access_token']);
  });

  test('replaces the refresh token when Google sends another one', async () => {
    const grant = await connect();
    host.failNext(
      respond(200, { access_token: 'a', refresh_token: 'new', expires_in: 3599, scope: 'one two' }),
    );
    expect(await renew(grant)).toMatchObject({
      credentials: { access_token: 'a', refresh_token: 'new' },
      scopes: ['one', 'two'],
    });
  });

  test('ends 7 days after the connect of an app in testing', async () => {
    isTesting = true;
    const grant = await connect();
    isTesting = false;
    host.advance(7 * DAY);
    await expect(renew(grant)).rejects.toMatchObject({ kind: 'token_expired', code: 'TOKEN_EXPIRED' });
  });

  test('drops the oldest of more than 100 refresh tokens', async () => {
    const first = await connect({ as: 'bob' });
    const second = await connect({ as: 'bob' });
    for (let count = 0; count < 99; count += 1) await connect({ as: 'bob' });
    await expect(renew(first)).rejects.toMatchObject({ kind: 'token_expired' });
    await renew(second);
  });

  test.each([
    [400, { error: 'invalid_grant', error_description: 'Account has been deleted' }, 'token_expired'],
    [400, { error: 'invalid_grant', error_description: 'x', error_subtype: 'invalid_rapt' }, 'token_expired'],
    [400, { error: 'admin_policy_enforced' }, 'token_expired'],
    [401, { error: 'invalid_client', error_description: 'The OAuth client was not found.' }, 'transient'],
    [401, { error: 'deleted_client', error_description: 'The OAuth client was deleted.' }, 'transient'],
    [400, { error: 'unauthorized_client' }, 'transient'],
    [400, { error: 'invalid_scope' }, 'transient'],
    [429, '<html>', 'transient'],
    [500, { error: 'internal_failure' }, 'transient'],
    [503, '<html>', 'transient'],
    [200, '<html>', 'transient'],
    [200, { access_token: '' }, 'transient'],
  ])('answered by %d %j is %s', async (status, body, kind) => {
    const grant = await connect();
    host.failNext(respond(status, body));
    await expect(renew(grant)).rejects.toMatchObject({ kind });
  });

  test('waits as long as Google says', async () => {
    const grant = await connect();
    host.failNext(respond(429, '', { 'retry-after': '30' }));
    await expect(renew(grant)).rejects.toMatchObject({ retryAfterMs: 30_000 });
  });

  test('needs the app', async () => {
    const grant = await connect();
    await expect(connector.renew!(connectedAccount(grant), connectContext(host))).rejects.toMatchObject({
      code: 'INTERNAL',
    });
  });
});

test('a revocation ends all tokens of the account, and may be repeated', async () => {
  const grant = await connect({ as: 'eve' });
  const other = await connect({ as: 'eve' });
  const revoke = () => connector.revoke!(connectedAccount(grant, { app: APP }), connectContext(host));
  await revoke();
  await revoke();
  await expect(
    connector.renew!(connectedAccount(other, { app: APP }), connectContext(host)),
  ).rejects.toMatchObject({ kind: 'token_expired' });
});

describe('an app', () => {
  test('that Google knows is accepted', async () => {
    await expect(checkGoogleApp(APP, connectContext(host))).resolves.toBeUndefined();
  });

  test.each([{ client_id: 'other' }, { client_secret: 'other' }])('with %j is not', async change => {
    await expect(checkGoogleApp({ ...APP, ...change }, connectContext(host))).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('check them in the Cloud console'),
    });
  });

  test('is not called wrong while Google does not answer', async () => {
    host.failNext({ respond: { status: 503 } });
    await expect(checkGoogleApp(APP, connectContext(host))).resolves.toBeUndefined();
  });
});
