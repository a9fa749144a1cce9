import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { blueskyJob } from '../../../test/support/bluesky.ts';
import { drive } from '../../../test/support/drive.ts';
import { connectContext, connectDirectly, type AnyGrant } from '../../../test/support/connectors.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { connector } from './connect.ts';
import { insights } from './insights.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';
import { DEMO } from './sandbox/accounts.ts';

let bluesky: TestSandbox;
let grant: AnyGrant;
beforeEach(async () => {
  bluesky = await startSandboxHost(sandbox);
  grant = await connectDirectly(connector, DEMO, connectContext(bluesky));
});
afterEach(() => bluesky.close());

async function publish(n: number): Promise<string> {
  const { http, media, now, advance } = bluesky;
  const job = blueskyJob(grant, {
    post_id: `0195588e-8f7b-7000-8000-00000000000${n}`,
    text: `Post ${n}`,
    due_at: Date.parse('2026-03-02T10:00:00Z') + n,
  });
  const options = { credentials: grant.credentials, http, media, now, advance };
  return (await drive(publisher, job, options)).post.platform_post_id;
}

/** Metrics are public: no credentials are loaded. */
const read = (uris: readonly string[]) =>
  insights.read(
    {
      http: bluesky.http,
      account: { platform_user_id: 'u', username: null, attributes: {} },
      authorize: () => Promise.reject(new Error('No credentials are needed')),
      now: bluesky.now,
    },
    uris,
  );

const respondWith = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  bluesky.failNext({
    match: /getPosts/,
    respond: { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
  });

describe('reading metrics of Bluesky posts', () => {
  test('reads many posts in one request to the AppView, without credentials', async () => {
    const uris = [await publish(1), await publish(2)];
    uris.forEach((uri, n) => bluesky.setMetrics(uri, { likes: n, comments: 10 + n, shares: 20 + n }));
    const before = bluesky.traffic.length;
    expect(await read(uris)).toEqual(
      new Map(uris.map((uri, n) => [uri, { likes: n, comments: 10 + n, shares: 20 + n, views: null }])),
    );
    expect(bluesky.traffic).toHaveLength(before + 1);
    const { url, headers } = bluesky.traffic.at(-1)!;
    expect(new URL(url).host).toBe('public.api.bsky.app');
    expect(new URL(url).searchParams.getAll('uris')).toEqual(uris);
    expect(headers).not.toHaveProperty('authorization');
  });

  test('reads at most 25 posts in one request', async () => {
    expect(insights.batch).toBe(25);
    const uris = Array.from({ length: 26 }, (_, n) => `at://${grant.account.platform_user_id}/none/${n}`);
    expect(await read(uris.slice(0, 25))).toEqual(new Map());
    await expect(read(uris)).rejects.toMatchObject({ kind: 'rejected' });
  });

  test('leaves out posts that were deleted', async () => {
    const uri = await publish(1);
    expect([...(await read([uri, `${uri}x`])).keys()]).toEqual([uri]);
  });

  test('counts reposts and quotes as shares', async () => {
    const counts = { likeCount: 1, replyCount: 2, repostCount: 3, quoteCount: 4 };
    respondWith(200, { posts: [{ uri: 'at://a', ...counts }] });
    expect(await read(['at://a'])).toEqual(
      new Map([['at://a', { likes: 1, comments: 2, shares: 7, views: null }]]),
    );
  });

  test('reads absent counts as zero', async () => {
    respondWith(200, { posts: [{ uri: 'at://a', likeCount: 1 }] });
    expect((await read(['at://a'])).get('at://a')).toEqual({
      likes: 1,
      comments: 0,
      shares: 0,
      views: null,
    });
  });

  test.each([
    [400, { error: 'InvalidRequest', message: 'no' }, {}, { kind: 'rejected' }],
    [
      429,
      { error: 'RateLimitExceeded', message: 'no' },
      {
        'ratelimit-reset': String(Date.parse('2026-03-02T10:10:00Z') / 1000),
        date: 'Mon, 02 Mar 2026 10:00:00 GMT',
      },
      { kind: 'rate_limited', retryAfterMs: 600_000 },
    ],
    [500, { error: 'InternalServerError', message: 'no' }, {}, { kind: 'transient' }],
    [502, '<html>Bad gateway</html>', { 'content-type': 'text/html' }, { kind: 'transient' }],
    [200, '<html>Welcome</html>', { 'content-type': 'text/html' }, { kind: 'transient' }],
    [200, { posts: [{ uri: 'at://a', likeCount: 'many' }] }, {}, { kind: 'transient' }],
  ])('classifies the error response %i %j', async (status, body, headers, error) => {
    respondWith(status, body, { 'content-type': 'application/json', ...headers });
    await expect(read(['at://a'])).rejects.toMatchObject({ name: 'PlatformError', ...error });
  });

  test.each(['before', 'after'] as const)(
    'throws a transient error when the connection breaks %s the request',
    async drop => {
      bluesky.failNext({ drop });
      await expect(read(['at://a'])).rejects.toMatchObject({ name: 'PlatformError', kind: 'transient' });
    },
  );
});
