import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { connectContext, connectedAccount } from '../../../test/support/connectors.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { connect } from '../../../test/support/youtube.ts';
import { connector } from './connect.ts';
import { sandbox } from './sandbox/server.ts';
import { APP } from './sandbox/state.ts';

let host: TestSandbox;
beforeEach(async () => void (host = await startSandboxHost(sandbox)));
afterEach(() => host.close());

describe('connecting', () => {
  test('returns the channel that the user chose', async () => {
    expect(await connect(host)).toMatchObject({
      account: {
        platform_user_id: expect.stringMatching(/^UC[\w-]{22}$/),
        display_name: 'Demo',
        username: '@demo',
        avatar_url: expect.stringContaining('=s800'),
      },
      attributes: { uploads_playlist: expect.stringMatching(/^UU[\w-]{22}$/), long_uploads: 'allowed' },
    });
    expect((await connect(host, { as: 'demo_brand' })).account).toMatchObject({ display_name: 'Demo Brand' });
  });

  test.each(['empty', 'signup_required'])(
    'is refused for a Google account without a channel (%s)',
    async form => {
      host.platform.change?.('demo_none', { no_channel: form });
      await expect(connect(host, { as: 'demo_none' })).rejects.toMatchObject({
        kind: 'rejected',
        code: 'PERMISSION_MISSING',
        message: expect.stringMatching(/has no YouTube channel.*create one/is),
      });
    },
  );

  test('works without the permission for Analytics, not without the one for videos', async () => {
    expect((await connect(host, { without: 'yt-analytics.readonly' })).scopes).toHaveLength(1);
    await expect(connect(host, { without: 'youtube.force-ssl' })).rejects.toMatchObject({
      message: expect.stringContaining('managing videos, captions, playlists and comments'),
    });
  });

  test('accepts a channel that has no picture yet', async () => {
    const channel = {
      id: 'UC1',
      snippet: { title: 'New', thumbnails: { default: {} } },
      contentDetails: { relatedPlaylists: { uploads: 'UU1' } },
    };
    const body = JSON.stringify({ items: [channel] });
    host.failNext({ match: /\/channels\?/, respond: { status: 200, body } });
    expect(await connect(host)).toMatchObject({
      account: { display_name: 'New', username: null, avatar_url: null },
      attributes: { long_uploads: '' },
    });
  });
});

describe('a connected channel', () => {
  test('has facts that are read again', async () => {
    const grant = await connect(host);
    host.platform.change?.('demo', { long_uploads: 'eligible' });
    const account = connectedAccount(grant, { app: APP });
    expect(await connector.facts?.read(account, connectContext(host))).toMatchObject({
      attributes: { long_uploads: 'eligible' },
      account: { display_name: 'Demo' },
    });
  });

  test('cannot be used after its grant was revoked', async () => {
    const grant = await connect(host);
    const account = connectedAccount(grant, { app: APP });
    await connector.revoke?.(account, connectContext(host));
    await expect(connector.facts?.read(account, connectContext(host))).rejects.toMatchObject({
      kind: 'token_expired',
    });
  });
});
