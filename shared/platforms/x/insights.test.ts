import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { drive } from '../../../test/support/drive.ts';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { startSandboxHost, type Fault, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { connect, jobOf, optionsOf } from '../../../test/support/x.ts';
import { insights } from './insights.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';

let host: TestSandbox;
let grant: AnyGrant;
beforeAll(async () => {
  host = await startSandboxHost(sandbox);
});
afterAll(() => host.close());
beforeEach(async () => {
  host.advance(20 * 60_000);
  grant = await connect(host);
});

let posts = 0;
async function publish(): Promise<string> {
  const job = jobOf(host, grant, { description: `Post ${(posts += 1)}`, post_id: `post-${posts}` });
  return (await drive(publisher, job, optionsOf(host, grant))).post.platform_post_id;
}

const read = (ids: readonly string[], credentials = grant.credentials) =>
  insights.read(
    {
      http: host.http,
      account: { platform_user_id: 'u', username: null, attributes: {} },
      authorize: () => Promise.resolve({ credentials, app: null, target: null }),
      now: host.now,
    },
    ids,
  );

/** The next read is answered with this instead of the sandbox's response. */
const respondWith = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  host.failNext({
    match: /\/2\/tweets\?/,
    method: 'GET',
    respond: { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
  } satisfies Fault);

const counts = (more: object) => ({ like_count: 1, reply_count: 2, quote_count: 3, ...more });

describe('reading metrics of X posts', () => {
  test('reads many posts in one request', async () => {
    const ids = [await publish(), await publish(), await publish()];
    ids.forEach((id, n) =>
      host.setMetrics(id, { likes: n, comments: 10 + n, shares: 20 + n, views: 30 + n }),
    );
    const before = host.traffic.length;
    expect(await read(ids)).toEqual(
      new Map(ids.map((id, n) => [id, { likes: n, comments: 10 + n, shares: 20 + n, views: 30 + n }])),
    );
    expect(host.traffic).toHaveLength(before + 1);
    const { searchParams } = new URL(host.traffic.at(-1)!.url);
    expect([searchParams.get('ids'), searchParams.get('tweet.fields')]).toEqual([
      ids.join(','),
      'public_metrics',
    ]);
  });

  test('reads at most a hundred posts in one request', async () => {
    expect(insights.batch).toBe(100);
    const ids = Array.from({ length: 101 }, (_, n) => String(1_000_000 + n));
    expect(await read(ids.slice(0, 100))).toEqual(new Map());
    await expect(read(ids)).rejects.toMatchObject({ kind: 'rejected' });
  });

  test('leaves out posts that were deleted', async () => {
    const id = await publish();
    expect([...(await read([id, '1234567890123456789'])).keys()]).toEqual([id]);
    respondWith(200, { errors: [{ title: 'Not Found Error', resource_id: '1' }] });
    expect(await read(['1'])).toEqual(new Map());
  });

  test.each([
    ['retweet_count', counts({ retweet_count: 4 }), 7],
    ['repost_count', counts({ repost_count: 4 }), 7],
    ['both names', counts({ retweet_count: 4, repost_count: 4 }), 7],
    ['neither', counts({}), 3],
  ])('counts reposts (%s) and quotes as shares', async (_, public_metrics, shares) => {
    respondWith(200, { data: [{ id: '1', public_metrics }] });
    expect(await read(['1'])).toEqual(new Map([['1', { likes: 1, comments: 2, shares, views: null }]]));
  });

  test('falls back to post.fields when X does not know tweet.fields', async () => {
    const id = await publish();
    respondWith(400, { errors: [{ message: 'The query parameter [tweet.fields] is not known' }] });
    expect([...(await read([id])).keys()]).toEqual([id]);
    expect(new URL(host.traffic.at(-1)!.url).searchParams.get('post.fields')).toBe('public_metrics');
  });

  test.each([
    [401, { title: 'Unauthorized' }, {}, { kind: 'token_expired' }],
    [402, { title: 'CreditsDepleted' }, {}, { kind: 'rejected', code: 'QUOTA_EXHAUSTED' }],
    [
      429,
      { title: 'Too Many Requests' },
      { 'retry-after': '600' },
      { kind: 'rate_limited', retryAfterMs: 600_000 },
    ],
    [500, {}, {}, { kind: 'transient' }],
    [502, '<html>Bad gateway</html>', { 'content-type': 'text/html' }, { kind: 'transient' }],
    [200, '<html>Welcome</html>', { 'content-type': 'text/html' }, { kind: 'transient' }],
    [200, { data: [{ id: '1', public_metrics: { like_count: 'many' } }] }, {}, { kind: 'transient' }],
  ])('classifies the error response %i %j', async (status, body, headers, error) => {
    respondWith(status, body, headers);
    await expect(read(['1'])).rejects.toMatchObject({ name: 'PlatformError', ...error });
  });

  test.each(['before', 'after'] as const)(
    'throws a transient error when the connection breaks %s the request',
    async drop => {
      host.failNext({ drop });
      await expect(read(['1'])).rejects.toMatchObject({ name: 'PlatformError', kind: 'transient' });
    },
  );
});
