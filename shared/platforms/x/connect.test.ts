import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { authorize, connect, contextOf } from '../../../test/support/x.ts';
import { connector } from './connect.ts';
import { sandbox } from './sandbox/server.ts';
import { APP } from './sandbox/state.ts';

let host: TestSandbox;
beforeAll(async () => void (host = await startSandboxHost(sandbox)));
afterAll(() => host.close());

const TOKEN = /oauth2\/token/;
const renew = (credentials: Awaited<ReturnType<typeof connect>>['credentials'], app = APP) =>
  connector.renew!({ app, credentials, attributes: {} }, contextOf(host));

describe('connecting', () => {
  test('sends the user to the consent page with PKCE and percent-encoded scopes', () => {
    const url = connector.authorizeUrl({
      app: APP,
      state: 's',
      redirect_uri: 'https://a.example/cb',
      code_challenge: 'c',
    });
    expect(url).toMatch(/^https:\/\/x\.com\/i\/oauth2\/authorize\?response_type=code&client_id=/);
    expect(url).toContain('scope=tweet.read%20tweet.write%20users.read%20media.write%20offline.access&');
    expect(url).toContain('code_challenge=c&code_challenge_method=S256');
  });

  test('gives account, tokens, scopes and facts', async () => {
    const grant = await connect(host);
    expect(grant).toMatchObject({
      account: { platform_user_id: '2244994945', username: 'demo', display_name: 'Demo' },
      credentials: { access_token: expect.any(String), refresh_token: expect.any(String), secret: null },
      attributes: { subscription_type: 'None', scopes: connector.scopes.join(' ') },
      token_expires_at: host.now() + 7_200_000,
    });
    expect(grant.scopes).toEqual(connector.scopes);
    expect(grant.account.avatar_url).toMatch(/avatar\.jpg$/);
  });

  test.each([undefined, null, 7, { url: 'https://x.example/a.jpg' }])(
    'does not fail for a picture that is %j',
    async picture => {
      const data = { id: '2244994945', name: 'Demo', username: 'demo', profile_image_url: picture };
      host.failNext({ match: /users\/me/, respond: { status: 200, body: JSON.stringify({ data }) } });
      expect((await connect(host)).account).toMatchObject({ username: 'demo', avatar_url: null });
    },
  );

  test('a refusing user comes back with an error', async () => {
    const { back } = await authorize(host, { auto: 'deny' });
    expect(back?.get('error')).toBe('access_denied');
    expect(back?.get('state')).toBe('state-1');
  });

  test('a code is good once, for 30 seconds, with its verifier', async () => {
    const used = await authorize(host);
    await connector.exchange(used, contextOf(host));
    await expect(connector.exchange(used, contextOf(host))).rejects.toMatchObject({ kind: 'rejected' });
    const late = await authorize(host);
    host.advance(30_000);
    await expect(connector.exchange(late, contextOf(host))).rejects.toMatchObject({ kind: 'rejected' });
    const foreign = { ...(await authorize(host)), code_verifier: 'a'.repeat(43) };
    await expect(connector.exchange(foreign, contextOf(host))).rejects.toMatchObject({ kind: 'rejected' });
  });
});

describe('renewing', () => {
  test('rotates both tokens; the old refresh token is dead', async () => {
    const { credentials } = await connect(host);
    const renewal = await renew(credentials);
    expect(renewal.token_expires_at).toBe(host.now() + 7_200_000);
    expect(renewal.credentials.refresh_token).not.toBe(credentials.refresh_token);
    await expect(renew(credentials)).rejects.toMatchObject({ kind: 'token_expired', code: 'TOKEN_EXPIRED' });
    await expect(renew({ ...credentials, ...renewal.credentials })).resolves.toBeDefined();
  });

  test('a refused app is no reason to disconnect the account', async () => {
    const { credentials } = await connect(host);
    await expect(renew(credentials, { ...APP, client_secret: 'wrong' })).rejects.toMatchObject({
      kind: 'transient',
      code: 'INTERNAL',
    });
  });

  test.each([
    [
      { status: 503, body: '<html>' },
      { kind: 'transient', outcomeUnknown: true },
    ],
    [
      { status: 200, body: '<html>' },
      { kind: 'transient', outcomeUnknown: true },
    ],
    [
      { status: 429, body: '' },
      { kind: 'rate_limited', retryAfterMs: 900_000 },
    ],
    [{ status: 400, body: '{"error":"invalid_grant"}' }, { kind: 'token_expired' }],
  ])('%j means %j', async (respond, error) => {
    const { credentials } = await connect(host);
    host.failNext({ match: TOKEN, respond });
    await expect(renew(credentials)).rejects.toMatchObject(error);
  });

  test('a lost answer is of unknown outcome', async () => {
    const { credentials } = await connect(host);
    host.failNext({ match: TOKEN, drop: 'after' });
    await expect(renew(credentials)).rejects.toMatchObject({ kind: 'transient', outcomeUnknown: true });
  });

  test('without a refresh token the user must reconnect', () =>
    expect(renew({ access_token: 'a', refresh_token: null, secret: null })).rejects.toMatchObject({
      kind: 'token_expired',
    }));
});

test('revoking kills both tokens', async () => {
  const { credentials } = await connect(host);
  await connector.revoke!({ app: APP, credentials, attributes: {} }, contextOf(host));
  await expect(renew(credentials)).rejects.toMatchObject({ kind: 'token_expired' });
});
