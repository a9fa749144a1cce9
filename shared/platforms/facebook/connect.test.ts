import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { connectContext, oauthWay } from '../../../test/support/connectors.ts';
import { accountOf, authorize, connect, connectPage } from '../../../test/support/facebook.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { DAY } from '../../time/instant.ts';
import { connector } from './connect.ts';
import { APP } from './sandbox/state.ts';
import { sandbox } from './sandbox/server.ts';

let host: TestSandbox;
beforeEach(async () => {
  host = await startSandboxHost(sandbox);
});
afterEach(() => host.close());

const listTargets = async (more: Record<string, string> = {}) =>
  connector.listTargets!(accountOf(await connect(host, more)), connectContext(host));

describe('connecting an account', () => {
  test('asks for the permissions of posts, comments, reading back and insights', () => {
    const url = oauthWay(connector).authorizeUrl({
      app: APP,
      state: 's',
      redirect_uri: 'https://service.example/callback',
      code_challenge: 'unused',
    });
    expect(new URL(url).searchParams.get('scope')).toBe(
      'pages_show_list,pages_read_engagement,pages_read_user_content,pages_manage_posts,pages_manage_engagement,read_insights,business_management',
    );
  });

  test('returns the user with a long-lived token and no date of expiry', async () => {
    const grant = await connect(host);
    expect(grant).toMatchObject({
      account: {
        platform_user_id: '122100000000000001',
        display_name: 'Demo User',
        username: null,
        avatar_url: expect.stringContaining('https://'),
      },
      credentials: { user_token: expect.stringMatching(/^EAA/) },
      renew_at: host.now() + 30 * DAY,
      expires_at: null,
    });
    expect(grant.scopes).toContain('pages_manage_posts');
  });

  test.each(['read_insights', 'business_management'])('works without %s', async decline => {
    expect((await connect(host, { decline })).scopes).not.toContain(decline);
  });

  test.each(['pages_manage_posts', 'pages_read_user_content', 'pages_manage_engagement'])(
    'names %s when the user declined it',
    async decline => {
      await expect(connect(host, { decline })).rejects.toMatchObject({
        kind: 'rejected',
        code: 'PERMISSION_MISSING',
        message: `Facebook did not grant ${decline}: connect again and allow all permissions`,
      });
    },
  );

  test('fails where the user has no Page', async () => {
    await expect(connect(host, { as: 'demo_none' })).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('manages no Facebook Page'),
    });
  });

  test('names the Pages on which the user may not create content', async () => {
    host.platform.change!('demo', { roles: { '102938475610293': ['ANALYZE'] } });
    await expect(connect(host)).rejects.toMatchObject({
      message: expect.stringContaining('may not create content on Demo Page'),
    });
  });

  test('cannot use a code twice', async () => {
    const input = await authorize(host);
    const way = oauthWay(connector);
    await way.exchange(input, connectContext(host));
    await expect(way.exchange(input, connectContext(host))).rejects.toMatchObject({ kind: 'rejected' });
  });
});

describe('the targets', () => {
  test('are the Pages with tokens that do not expire', async () => {
    expect(await listTargets()).toEqual([
      {
        id: '102938475610293',
        name: 'Demo Page',
        attributes: { username: 'demopage', picture_url: expect.stringContaining('https://') },
        secrets: { access_token: expect.stringMatching(/^EAAP/) },
      },
    ]);
  });

  test('leave out Pages on which the user may not create content', async () => {
    const targets = await listTargets({ as: 'demo_pages' });
    expect(targets.map(({ name }) => name)).toEqual(['Demo Page', 'Business Page']);
  });

  test('include Pages of a business', async () => {
    expect((await listTargets({ as: 'demo_business' })).map(({ name }) => name)).toEqual(['Business Page']);
  });
});

describe('the renewal', () => {
  const renew = async (more = {}) => {
    const grant = await connect(host);
    return connector.renew!({ ...accountOf(grant), ...more }, connectContext(host));
  };

  test('extends the user token and refreshes the picture', async () => {
    const renewed = await renew();
    expect(renewed).toMatchObject({
      account: { display_name: 'Demo User', avatar_url: expect.any(String) },
      renew_at: host.now() + 30 * DAY,
      expires_at: null,
    });
  });

  test('ends where the user token has expired, because Page tokens outlive it', async () => {
    const grant = await connect(host);
    host.advance(61 * DAY);
    expect(await connector.renew!(accountOf(grant), connectContext(host))).toEqual({
      credentials: grant.credentials,
      renew_at: null,
      expires_at: null,
    });
  });

  test.each([458, 460, 467])('fails with subcode %s: the user must reconnect', async error_subcode => {
    const grant = await connect(host);
    host.platform.change!('demo', { error_subcode });
    await expect(connector.renew!(accountOf(grant), connectContext(host))).rejects.toMatchObject({
      kind: 'token_expired',
    });
  });

  test('is tried again where Facebook does not answer', async () => {
    const grant = await connect(host);
    host.failNext({ match: /access_token/, respond: { status: 503, body: '' } });
    await expect(connector.renew!(accountOf(grant), connectContext(host))).rejects.toMatchObject({
      kind: 'transient',
    });
  });
});

test('disconnecting ends all tokens of the user', async () => {
  const { grant } = await connectPage(host);
  await connector.revoke!(accountOf(grant), connectContext(host));
  await expect(connector.listTargets!(accountOf(grant), connectContext(host))).rejects.toMatchObject({
    kind: 'token_expired',
    message: expect.stringContaining('The app was removed from the account'),
  });
});
