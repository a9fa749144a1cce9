import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { drive } from '../../../test/support/drive.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { connect, jobOf } from '../../../test/support/threads.ts';
import { insights } from './insights.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';

let host: TestSandbox;
let grant: AnyGrant;
beforeAll(async () => {
  host = await startSandboxHost(sandbox);
  grant = await connect(host);
});
afterAll(() => host.close());

const read = (ids: readonly string[]) =>
  insights.read(
    {
      http: host.http,
      account: { platform_user_id: grant.account.platform_user_id, username: 'demo', attributes: {} },
      authorize: () => Promise.resolve({ credentials: grant.credentials, app: null, target: null }),
      now: host.now,
    },
    ids,
  );

async function publish(description: string): Promise<string> {
  const { http, media, now, advance } = host;
  const options = { credentials: grant.credentials, http, media, now, advance };
  return (await drive(publisher, jobOf(host, grant, { description }), options)).post.platform_post_id;
}

test('returns likes, replies, reposts with quotes and shares, and views; deleted posts are missing', async () => {
  const [one, other] = [await publish('One'), await publish('Other')];
  host.setMetrics(one, { likes: 3, comments: 2, shares: 4, quotes: 1, views: 90 });
  expect(await read([one, other, '18000000000000000', 'unknown'])).toEqual(
    new Map([
      [one, { likes: 3, comments: 2, shares: 5, views: 90 }],
      [other, { likes: 0, comments: 0, shares: 0, views: 0 }],
    ]),
  );
});

test.each([
  [
    { status: 400, body: '{"error":{"code":190,"message":"expired","error_subcode":463}}' },
    { kind: 'token_expired' },
  ],
  [{ status: 403, body: '{"error":{"code":10,"message":"denied"}}' }, { code: 'PERMISSION_MISSING' }],
  [{ status: 500, body: '' }, { kind: 'transient' }],
])('classifies the response %j as %j', async (respond, error) => {
  host.failNext({ match: /insights/, respond });
  await expect(read(['18000000000000001'])).rejects.toMatchObject(error);
});
