import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { drive } from '../../../test/support/drive.ts';
import { startSandboxHost, type Fault, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { connect, jobOf, optionsOf } from '../../../test/support/x.ts';
import type { Grant } from '../contract/connector.ts';
import { insights } from './insights.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';

let host: TestSandbox;
let grant: Grant;
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
  insights.read({ http: host.http, credentials: () => Promise.resolve(credentials), now: host.now }, ids);

/** The next question is answered with this, in the double's stead. */
const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  host.failNext({
    match: /\/2\/tweets\?/,
    method: 'GET',
    respond: { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
  } satisfies Fault);

const counts = (more: object) => ({ like_count: 1, reply_count: 2, quote_count: 3, ...more });

describe('metrics of posts on X', () => {
  test('of many posts come in one request, by their ids', async () => {
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

  test('are asked for a hundred at a time', async () => {
    expect(insights.batch).toBe(100);
    const ids = Array.from({ length: 101 }, (_, n) => String(1_000_000 + n));
    expect(await read(ids.slice(0, 100))).toEqual(new Map());
    await expect(read(ids)).rejects.toMatchObject({ kind: 'rejected' });
  });

  test('of a post that is gone are missing', async () => {
    const id = await publish();
    expect([...(await read([id, '1234567890123456789'])).keys()]).toEqual([id]);
    answer(200, { errors: [{ title: 'Not Found Error', resource_id: '1' }] });
    expect(await read(['1'])).toEqual(new Map());
  });

  test.each([
    ['retweet_count', counts({ retweet_count: 4 }), 7],
    ['repost_count', counts({ repost_count: 4 }), 7],
    ['both names', counts({ retweet_count: 4, repost_count: 4 }), 7],
    ['neither', counts({}), 3],
  ])('count reposts, under %s, and quotes as shares', async (_, public_metrics, shares) => {
    answer(200, { data: [{ id: '1', public_metrics }] });
    expect(await read(['1'])).toEqual(new Map([['1', { likes: 1, comments: 2, shares, views: null }]]));
  });

  test('are asked for under the new name where X does not know the old one any more', async () => {
    const id = await publish();
    answer(400, { errors: [{ message: 'The query parameter [tweet.fields] is not known' }] });
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
  ])('that X refuses with %i %j are an error of its kind', async (status, body, headers, error) => {
    answer(status, body, headers);
    await expect(read(['1'])).rejects.toMatchObject({ name: 'PlatformError', ...error });
  });

  test.each(['before', 'after'] as const)('are asked for later when the connection is cut %s', async drop => {
    host.failNext({ drop });
    await expect(read(['1'])).rejects.toMatchObject({ name: 'PlatformError', kind: 'transient' });
  });

  test('need a token', async () => {
    const before = host.traffic.length;
    await expect(read(['1'], { ...grant.credentials, access_token: null })).rejects.toMatchObject({
      kind: 'token_expired',
      code: 'TOKEN_EXPIRED',
    });
    expect(host.traffic).toHaveLength(before);
  });
});
