import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { connectContext, connectedAccount, oauthWay } from '../../../test/support/connectors.ts';
import { authorize, connect } from '../../../test/support/x.ts';
import { connector } from './connect.ts';
import { sandbox } from './sandbox/server.ts';
import { APP } from './sandbox/state.ts';

let host: TestSandbox;
beforeAll(async () => void (host = await startSandboxHost(sandbox)));
afterAll(() => host.close());

const TOKEN = /oauth2\/token/;
const oauth = oauthWay(connector);
type Grant = Awaited<ReturnType<typeof connect>>;
const renew = (grant: Grant, app = APP) =>
  connector.renew!(connectedAccount(grant, { app }), connectContext(host));

describe('connecting', () => {
  test('sends the user to the consent page with PKCE and percent-encoded scopes', () => {
    const url = oauth.authorizeUrl({
      app: APP,
      state: 's',
      redirect_uri: 'https://a.example/cb',
      code_challenge: 'c',
    });
    expect(url).toMatch(/^https:\/\/x\.com\/i\/oauth2\/authorize\?response_type=code&client_id=/);
    expect(url).toContain('scope=tweet.read%20tweet.write%20users.read%20media.write%20offline.access&');
    expect(url).toContain('code_challenge=c&code_challenge_method=S256');
  });

  test('returns account, tokens, scopes and facts', async () => {
    const grant = await connect(host);
    expect(grant).toMatchObject({
      account: { platform_user_id: '2244994945', username: 'demo', display_name: 'Demo' },
      credentials: { access_token: expect.any(String), refresh_token: expect.any(String) },
      attributes: { subscription_type: 'None', scopes: oauth.scopes.join(' ') },
      expires_at: host.now() + 7_200_000,
      renew_at: host.now() + 0.8 * 7_200_000,
    });
    expect(grant.scopes).toEqual(oauth.scopes);
    expect(grant.account.avatar_url).toMatch(/avatar\.jpg$/);
  });

  test.each([undefined, null, 7, { url: 'https://x.example/a.jpg' }])(
    'connects when the picture is %j',
    async picture => {
      const data = { id: '2244994945', name: 'Demo', username: 'demo', profile_image_url: picture };
      host.failNext({ match: /users\/me/, respond: { status: 200, body: JSON.stringify({ data }) } });
      expect((await connect(host)).account).toMatchObject({ username: 'demo', avatar_url: null });
    },
  );

  test.each([undefined, null])('knows no subscription when X says %j', async subscription_type => {
    const data = { id: '2244994945', name: 'Demo', username: 'demo', subscription_type };
    host.failNext({ match: /users\/me/, respond: { status: 200, body: JSON.stringify({ data }) } });
    expect((await connect(host)).attributes).not.toHaveProperty('subscription_type');
  });

  test('returns the user with an error after a denied consent', async () => {
    const { back } = await authorize(host, { auto: 'deny' });
    expect(back?.get('error')).toBe('access_denied');
    expect(back?.get('state')).toBe('state-1');
  });

  test('rejects a grant without a refresh token', async () => {
    const body = JSON.stringify({ access_token: 'a', expires_in: 7200, scope: 'tweet.read' });
    const authorized = await authorize(host);
    host.failNext({ match: TOKEN, respond: { status: 200, body } });
    await expect(oauth.exchange(authorized, connectContext(host))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('offline.access'),
    });
  });

  test('rejects a code that was used, is older than 30 seconds or has another verifier', async () => {
    const used = await authorize(host);
    await oauth.exchange(used, connectContext(host));
    await expect(oauth.exchange(used, connectContext(host))).rejects.toMatchObject({ kind: 'rejected' });
    const late = await authorize(host);
    host.advance(30_000);
    await expect(oauth.exchange(late, connectContext(host))).rejects.toMatchObject({ kind: 'rejected' });
    const foreign = { ...(await authorize(host)), code_verifier: 'a'.repeat(43) };
    await expect(oauth.exchange(foreign, connectContext(host))).rejects.toMatchObject({ kind: 'rejected' });
  });
});

describe('renewing', () => {
  test('rotates both tokens; the old refresh token is dead', async () => {
    const grant = await connect(host);
    const renewal = await renew(grant);
    expect(renewal.expires_at).toBe(host.now() + 7_200_000);
    expect(renewal.credentials['refresh_token']).not.toBe(grant.credentials['refresh_token']);
    await expect(renew(grant)).rejects.toMatchObject({ kind: 'token_expired', code: 'TOKEN_EXPIRED' });
    await expect(
      connector.renew!(
        connectedAccount(grant, { app: APP, credentials: renewal.credentials }),
        connectContext(host),
      ),
    ).resolves.toBeDefined();
  });

  test('keeps the stored refresh token when the response has none', async () => {
    const grant = await connect(host);
    const body = JSON.stringify({ access_token: 'next', expires_in: 7200 });
    host.failNext({ match: TOKEN, respond: { status: 200, body } });
    const { refresh_token } = grant.credentials;
    expect((await renew(grant)).credentials).toEqual({ access_token: 'next', refresh_token });
  });

  test.each([{ access_token: '' }, { refresh_token: '' }])(
    'throws a transient error for the empty token %j',
    async empty => {
      const grant = await connect(host);
      const body = JSON.stringify({ access_token: 'a', refresh_token: 'r', expires_in: 7200, ...empty });
      host.failNext({ match: TOKEN, respond: { status: 200, body } });
      await expect(renew(grant)).rejects.toMatchObject({ kind: 'transient' });
    },
  );

  test('does not disconnect the account when the app is refused', async () => {
    const grant = await connect(host);
    await expect(renew(grant, { ...APP, client_secret: 'wrong' })).rejects.toMatchObject({
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
  ])('classifies the response %j as %j', async (respond, error) => {
    const grant = await connect(host);
    host.failNext({ match: TOKEN, respond });
    await expect(renew(grant)).rejects.toMatchObject(error);
  });

  test('reports an unknown outcome when the response is lost', async () => {
    const grant = await connect(host);
    host.failNext({ match: TOKEN, drop: 'after' });
    await expect(renew(grant)).rejects.toMatchObject({ kind: 'transient', outcomeUnknown: true });
  });
});

test('revokes both tokens', async () => {
  const grant = await connect(host);
  await connector.revoke!(connectedAccount(grant, { app: APP }), connectContext(host));
  await expect(renew(grant)).rejects.toMatchObject({ kind: 'token_expired' });
});
