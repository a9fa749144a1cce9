import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { blueskyJob, noisyJpeg } from '../../../test/support/bluesky.ts';
import { connectContext, connectDirectly, type AnyGrant } from '../../../test/support/connectors.ts';
import { drive, reconcile, type DriveOptions } from '../../../test/support/drive.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import type { Checkpoint } from '../../model/destination.ts';
import type { JsonObject } from '../../model/json.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { connector } from './connect.ts';
import { IMAGE_MS, publisher } from './publish.ts';
import { recordKey } from './record-key.ts';
import { rules } from './rules.ts';
import { sandbox } from './sandbox/server.ts';
import { DEMO } from './sandbox/accounts.ts';

let bluesky: TestSandbox;
let grant: AnyGrant;

beforeEach(async () => {
  bluesky = await startSandboxHost(sandbox);
  grant = await connectDirectly(connector, DEMO, connectContext(bluesky));
});
afterEach(() => bluesky.close());

const job = (change: Partial<PublishJob> = {}) => blueskyJob(grant, change);
const imageJob = (...media_urls: string[]) => job({ post_type: 'image', media_urls, text: 'Look' });

function options(change: Partial<DriveOptions> = {}): DriveOptions {
  const { http, media, now, advance } = bluesky;
  return { credentials: grant.credentials, http, media, now, advance, ...change };
}

const publish = (post: PublishJob, change?: Partial<DriveOptions>) => drive(publisher, post, options(change));

const calls = (name: string) => bluesky.traffic.filter(({ url }) => url.includes(`/xrpc/${name}`));

/** Returns the record of the only live post. */
function liveRecord(): JsonObject {
  expect(bluesky.posts()).toHaveLength(1);
  return bluesky.posts()[0]!.fields['record'] as JsonObject;
}

const failed = (error: string, status = 400, message = error) => ({
  respond: {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ error, message }),
  },
});

describe('a text post', () => {
  test('is live with its facets, and returns its id, URL and time', async () => {
    const text = '🔗 https://example.com/a by @alice.bsky.social and @nobody.bsky.social #café';
    const { post } = await publish(job({ text }));

    expect(post).toEqual({
      platform_post_id: `at://${grant.account.platform_user_id}/app.bsky.feed.post/${recordKey(job())}`,
      platform_post_url: `https://bsky.app/profile/demo.bsky.social/post/${recordKey(job())}`,
      published_at: bluesky.now(),
    });
    const record = liveRecord();
    expect(record).toMatchObject({ text, createdAt: '2026-03-02T10:00:00.123Z' });
    const words = (record['facets'] as { index: { byteStart: number; byteEnd: number } }[]).map(({ index }) =>
      Buffer.from(text).subarray(index.byteStart, index.byteEnd).toString(),
    );
    expect(words).toEqual(['https://example.com/a', '@alice.bsky.social', '#café']);
  });

  test("is written to the account's server under a key that must be free", async () => {
    await publish(job());
    const [put] = calls('com.atproto.repo.putRecord');
    expect(put?.url).toBe('https://morel.us-east.host.bsky.network/xrpc/com.atproto.repo.putRecord');
    expect(JSON.parse(put!.body.toString())).toMatchObject({ swapRecord: null });
  });

  test.each([
    ['do not exist', failed('HandleNotFound', 400)],
    ['cannot be resolved by these servers', failed('MethodNotImplemented', 501)],
  ])('is published without mentions of handles that %s', async (_, answer) => {
    bluesky.failNext({ match: /resolveHandle/, times: 2, ...answer });
    await publish(job({ text: 'hi @alice.bsky.social' }));
    expect(liveRecord()).not.toHaveProperty('facets');
  });

  test.each([
    ['do not answer', failed('UpstreamFailure', 502), { kind: 'transient', code: 'PLATFORM_UNAVAILABLE' }],
    ['are busy', failed('RateLimitExceeded', 429), { kind: 'rate_limited' }],
  ])('waits while the servers that resolve handles %s', async (_, answer, expected) => {
    const text = `hi @alice.bsky.social, servers ${expected.kind}`;
    bluesky.failNext({ match: /resolveHandle/, times: 2, ...answer });
    await expect(publish(job({ text }))).rejects.toMatchObject(expected);
    await publish(job({ text }));
    expect(liveRecord()).toHaveProperty('facets');
  });
});

describe('a link card', () => {
  const page = (head: string) => Buffer.from(`<!doctype html><html><head>${head}</head></html>`);

  /** Returns a client that serves these pages and pictures. */
  function web(pages: Record<string, { type: string; body: Buffer; status?: number; location?: string }>) {
    const send: TestSandbox['media']['send'] = ({ url }) => {
      const {
        type,
        body,
        status = 200,
        location,
      } = pages[url] ?? { type: 'text/plain', body: Buffer.alloc(0), status: 404 };
      const headers = { 'content-type': type, ...(location === undefined ? {} : { location }) };
      return Promise.resolve({ status, headers, body });
    };
    const open: TestSandbox['media']['open'] = async request => {
      const { body, ...response } = await send(request);
      const stream = new IncomingMessage(new Socket());
      stream.push(body);
      stream.push(null);
      return { ...response, stream };
    };
    return { ...bluesky.media, send, open };
  }

  test('shows title, description and picture of the first link', async () => {
    const picture = await noisyJpeg(900, 700);
    expect(picture.byteLength).toBeGreaterThan(1_000_000);
    const html = page(
      `<meta property="og:title" content="Caf&eacute; &amp; Bar &#x1F98B; &constructor;"><meta content='Open "now"' property='og:description'><meta property="og:image" content="/pic.jpg">`,
    );
    const media = web({
      'https://short.com/a': {
        type: 'text/html',
        body: page(''),
        status: 301,
        location: 'https://example.com/b',
      },
      'https://example.com/b': { type: 'text/html; charset=utf-8', body: html },
      'https://example.com/pic.jpg': { type: 'image/jpeg', body: picture },
    });
    await publish(job({ text: 'see short.com/a' }), { media });
    expect(liveRecord()['embed']).toEqual({
      $type: 'app.bsky.embed.external',
      external: {
        uri: 'https://short.com/a',
        title: 'Café & Bar 🦋 &constructor;',
        description: 'Open "now"',
        thumb: expect.objectContaining({ $type: 'blob', mimeType: 'image/jpeg' }),
      },
    });
    expect(Number(calls('com.atproto.repo.uploadBlob')[0]?.headers['content-length'])).toBeLessThan(
      1_000_000,
    );
  });

  test.each<[string, Parameters<typeof web>[0]]>([
    ['does not exist', {}],
    [
      'is not a web page',
      { 'https://example.com/b': { type: 'application/pdf', body: page('<title>x</title>') } },
    ],
    ['has no title', { 'https://example.com/b': { type: 'text/html', body: page('') } }],
    [
      'redirects in a loop',
      {
        'https://example.com/b': { type: 'text/html', body: page(''), status: 302, location: '/b' },
      },
    ],
  ])('is left out when the page %s', async (_, pages) => {
    await publish(job({ text: 'https://example.com/b' }), { media: web(pages) });
    expect(liveRecord()).not.toHaveProperty('embed');
  });

  test('has no picture when the picture is broken', async () => {
    const html = page(
      '<title>A &lt;b&gt;</title><meta name="description" content="d"><meta property="og:image" content="/pic.jpg">',
    );
    const media = web({
      'https://example.com/b': { type: 'text/html', body: html },
      'https://example.com/pic.jpg': { type: 'image/jpeg', body: Buffer.from('nothing') },
    });
    await publish(job({ text: 'https://example.com/b' }), { media });
    expect(liveRecord()['embed']).toEqual({
      $type: 'app.bsky.embed.external',
      external: { uri: 'https://example.com/b', title: 'A <b>', description: 'd' },
    });
  });

  test('fails with token_expired instead of losing its picture', async () => {
    const html = page('<title>A</title><meta property="og:image" content="/pic.jpg">');
    const media = web({
      'https://example.com/b': { type: 'text/html', body: html },
      'https://example.com/pic.jpg': { type: 'image/jpeg', body: await noisyJpeg(9, 9) },
    });
    bluesky.platform.tokens('expire', null);
    const expired = publish(job({ text: 'https://example.com/b' }), { media });
    await expect(expired).rejects.toMatchObject({ kind: 'token_expired' });
    expect(calls('com.atproto.repo.putRecord')).toEqual([]);
  });

  test('is never fetched from a private address', async () => {
    await publish(job({ text: 'http://169.254.169.254/latest/meta-data' }));
    expect(liveRecord()).not.toHaveProperty('embed');
  });
});

describe('images', () => {
  test('are uploaded unchanged, with alt text and aspect ratio', async () => {
    const small = await noisyJpeg(40, 30);
    const post = {
      ...imageJob(bluesky.addMedia('a.jpg', small), bluesky.addMedia('b.jpg', await noisyJpeg(20, 60))),
    };
    await publish({ ...post, alt_texts: ['noise'], options: { bluesky_langs: ['en', 'de'] } });
    expect(calls('com.atproto.repo.uploadBlob')[0]?.body.equals(small)).toBe(true);
    expect(liveRecord()['embed']).toMatchObject({
      $type: 'app.bsky.embed.images',
      images: [
        { alt: 'noise', aspectRatio: { width: 40, height: 30 }, image: { size: small.byteLength } },
        { alt: '', aspectRatio: { width: 20, height: 60 } },
      ],
    });
    expect(liveRecord()['langs']).toEqual(['en', 'de']);
  });

  test('over 2,000,000 bytes are compressed, and have an empty alt text by default', async () => {
    const large = await noisyJpeg(1400, 1000);
    expect(large.byteLength).toBeGreaterThan(2_000_000);
    await publish(imageJob(bluesky.addMedia('a.jpg', large)));
    const [image] = (liveRecord()['embed'] as { images: { alt: string; image: { size: number } }[] }).images;
    expect(image?.alt).toBe('');
    expect(image?.image.size).toBeLessThanOrEqual(1_950_000);
  });

  test('that cannot be fetched are rejected, or retried when the error is transient', async () => {
    const missing = imageJob(`${bluesky.url}/_media/missing.jpg`);
    await expect(publish(missing)).rejects.toMatchObject({ kind: 'rejected', code: 'MEDIA_REJECTED' });
    await expect(publish(imageJob('http://10.0.0.1/a.jpg'))).rejects.toMatchObject({ kind: 'rejected' });
    await expect(publish(imageJob('http://127.0.0.1:1/a.jpg'))).rejects.toMatchObject({ kind: 'transient' });
  });

  test('start only while the invocation has the time that one may need', () => {
    expect(IMAGE_MS).toBeLessThanOrEqual(rules.worker.request_s * 1000);
  });

  test('are uploaded over several invocations when little time is left', async () => {
    const urls = await Promise.all(
      ['a', 'b', 'c'].map(async name => bluesky.addMedia(name, await noisyJpeg(9, 9))),
    );
    const { ran } = await publish(imageJob(...urls), { remainingMs: () => 10_000 });
    expect(ran).toEqual(['upload', 'upload', 'upload', 'compose', 'publish']);
    expect(calls('com.atproto.repo.uploadBlob')).toHaveLength(3);
  });

  test('are compressed further, once, for a server with the old limit', async () => {
    const picture = await noisyJpeg(900, 700);
    expect(picture.byteLength).toBeGreaterThan(1_000_000);
    const message = 'blob too big (maximum 1000000, got 1500000) at $.record.embed.images[0].image';
    bluesky.failNext({ match: /putRecord/, ...failed('InvalidRequest', 400, message) });
    await publish(imageJob(bluesky.addMedia('a.jpg', picture)));
    const [image] = (liveRecord()['embed'] as { images: { image: { size: number } }[] }).images;
    expect(image?.image.size).toBeLessThanOrEqual(976_000);

    bluesky.failNext({ match: /putRecord/, times: 2, ...failed('BlobTooLarge') });
    const other = { ...imageJob(bluesky.addMedia('a.jpg', picture)), post_id: 'p2' };
    await expect(publish(other)).rejects.toMatchObject({ kind: 'rejected', code: 'MEDIA_REJECTED' });
  });

  test('are uploaded again, once, when the server has deleted them', async () => {
    const post = imageJob(bluesky.addMedia('a.jpg', await noisyJpeg(9, 9)));
    let isDeleted = false;
    const interrupt = ({ step }: Checkpoint) => {
      if (step === 'publish' && !isDeleted) bluesky.advance(61 * 60_000);
      isDeleted ||= step === 'publish';
    };
    const { ran } = await publish(post, { onCheckpoint: interrupt });
    expect(ran).toEqual(['upload', 'compose', 'publish', 'upload', 'compose', 'publish']);
    expect(bluesky.posts()).toHaveLength(1);
  });
});

describe('a commit', () => {
  test('that is repeated is the same post', async () => {
    const { post, checkpoints } = await publish(job());
    const before = checkpoints.at(-2)!;
    const again = await publish(job(), { from: before });
    expect(again.post.platform_post_id).toBe(post.platform_post_id);
    expect(bluesky.posts()).toHaveLength(1);
  });

  test('whose response is lost has an unknown outcome, and reconciling finds the post', async () => {
    bluesky.failNext({ match: /putRecord/, drop: 'after' });
    let checkpoint: Checkpoint = publisher.start(job());
    const watch = { onCheckpoint: (next: Checkpoint) => void (checkpoint = next) };
    await expect(publish(job(), watch)).rejects.toMatchObject({ kind: 'transient', outcomeUnknown: true });
    expect(await reconcile(publisher, job(), checkpoint, 5, options())).toEqual({
      type: 'published',
      post: {
        platform_post_id: bluesky.posts()[0]?.platform_post_id,
        platform_post_url: bluesky.posts()[0]?.platform_post_url,
        published_at: 5,
      },
    });
  });

  test('that never arrived is absent', async () => {
    expect(await reconcile(publisher, job(), publisher.start(job()), 5, options())).toEqual({
      type: 'absent',
    });
  });

  test('is not absent when reading the record fails', async () => {
    bluesky.failNext({ match: /getRecord/, ...failed('UpstreamFailure', 502) });
    const reading = reconcile(publisher, job(), publisher.start(job()), 5, options());
    await expect(reading).rejects.toMatchObject({ kind: 'transient' });
  });

  test('with a lost state prepares the record again; when that record differs, the first one counts', async () => {
    const original = imageJob(bluesky.addMedia('a.jpg', await noisyJpeg(9, 9)));
    await publish(original);
    bluesky.addMedia('a.jpg', await noisyJpeg(10, 10));
    const { post, ran } = await publish(original, { from: { step: 'publish', state: { old: 1 } } });
    expect(ran).toEqual(['publish', 'upload', 'compose', 'publish']);
    expect(post.platform_post_id).toBe(bluesky.posts()[0]?.platform_post_id);
    expect(bluesky.posts()).toHaveLength(1);
  });

  test('uses the next key when another record has the first, which stays as it is', async () => {
    const mine = job({ text: 'second' });
    await publish(job({ text: 'first' }));
    const { post } = await publish(mine);
    expect(post.platform_post_id).toMatch(new RegExp(`/${recordKey(mine, 1)}$`));
    expect(bluesky.posts().map(({ fields }) => (fields['record'] as JsonObject)['text'])).toEqual([
      'first',
      'second',
    ]);
  });

  test('whose response is lost under the next key is found there', async () => {
    const mine = job({ text: 'second' });
    await publish(job({ text: 'first' }));
    await publish(mine);
    const taken = (count: number): Checkpoint => ({
      step: 'publish',
      state: { images: [], record: null, retried_for: [], taken_keys: count },
    });
    expect(await reconcile(publisher, mine, taken(1), 5, options())).toMatchObject({ type: 'published' });
    expect(await reconcile(publisher, mine, taken(0), 5, options())).toEqual({ type: 'absent' });
  });

  test('fails when other records have every key of the post', async () => {
    for (const text of ['a', 'b', 'c', 'd']) await publish(job({ text }));
    await expect(publish(job({ text: 'e' }))).rejects.toMatchObject({ kind: 'rejected', code: 'INTERNAL' });
    expect(bluesky.posts()).toHaveLength(4);
  });

  test('uses keys that differ by post and account and are the same in every attempt', () => {
    expect(recordKey(job())).toMatch(/^[2-7a-j][2-7a-z]{12}$/);
    expect(recordKey(job())).toBe(recordKey(job()));
    const keys = Array.from({ length: 200 }, (_, index) => recordKey(job({ post_id: `p${index}` })));
    expect(new Set(keys).size).toBe(200);
  });
});

describe('an error response', () => {
  test.each([
    ['ExpiredToken', 400, { kind: 'token_expired', code: 'TOKEN_EXPIRED' }],
    ['InvalidToken', 400, { kind: 'token_expired', code: 'TOKEN_EXPIRED' }],
    ['AuthenticationRequired', 401, { kind: 'token_expired' }],
    ['AccountTakedown', 401, { kind: 'token_expired' }],
    ['InvalidRequest', 400, { kind: 'rejected', code: 'CONTENT_REJECTED', message: 'InvalidRequest' }],
    ['InvalidMimeType', 400, { kind: 'rejected', code: 'MEDIA_REJECTED' }],
    ['InternalServerError', 500, { kind: 'transient', outcomeUnknown: true }],
    ['UpstreamTimeout', 504, { kind: 'transient', outcomeUnknown: true }],
    ['MethodNotImplemented', 501, { kind: 'rejected', outcomeUnknown: true }],
    ['Forbidden', 403, { kind: 'rejected', code: 'PERMISSION_MISSING' }],
  ])('%s (%i) is classified', async (error, status, expected) => {
    bluesky.failNext({ match: /putRecord/, ...failed(error, status) });
    await expect(publish(job())).rejects.toMatchObject(expected);
  });

  test.each([
    [{ 'retry-after': '17' }, 17_000],
    [{ date: 'Mon, 02 Mar 2026 10:00:00 GMT', 'ratelimit-reset': '1772445690' }, 90_000],
    [{}, 300_000],
  ])('with a rate limit says when it ends: %j', async (headers, retryAfterMs) => {
    const respond = { status: 429, headers, body: '{"error":"RateLimitExceeded"}' };
    bluesky.failNext({ match: /putRecord/, respond });
    await expect(publish(job())).rejects.toMatchObject({ kind: 'rate_limited', retryAfterMs });
  });

  test('of a proxy with status 200 is not a success', async () => {
    bluesky.failNext({ match: /putRecord/, respond: { status: 200, body: '<html>' } });
    await expect(publish(job())).rejects.toMatchObject({ kind: 'transient', outcomeUnknown: true });
  });
});

describe('an account that the server does not know', () => {
  const HOME = 'https://shimeji.us-east.host.bsky.network';
  const notFound = (match: RegExp) => bluesky.failNext({ match, ...failed('AccountNotFound', 403) });
  function move(): void {
    const service = [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: HOME }];
    const body = JSON.stringify({ id: grant.account.platform_user_id, service });
    bluesky.failNext({ match: /plc\.directory/, respond: { status: 200, body } });
  }
  const hosts = (name: string) => calls(`com.atproto.repo.${name}`).map(({ url }) => new URL(url).host);

  test.each([
    ['putRecord', () => job()],
    ['uploadBlob', (image: Buffer) => imageJob(bluesky.addMedia('a.jpg', image))],
  ])('requires a reconnect at %s when it has moved, and sends no token there', async (name, moved) => {
    notFound(new RegExp(`morel.*${name}`));
    move();
    await expect(publish(moved(await noisyJpeg(40, 30)))).rejects.toMatchObject({
      kind: 'token_expired',
      message: expect.stringContaining('moved to shimeji'),
    });
    expect(hosts(name)).toEqual(['morel.us-east.host.bsky.network']);
    expect(bluesky.traffic.filter(({ url }) => url.startsWith(HOME))).toEqual([]);
  });

  test('is asked once more when its DID still names the server', async () => {
    notFound(/morel.*putRecord/);
    await publish(job());
    expect(hosts('putRecord')).toHaveLength(2);
  });

  test('has its record read at its new server, without a token', async () => {
    const mine = job();
    const { checkpoints } = await publish(mine);
    notFound(/morel.*getRecord/);
    move();
    expect(await reconcile(publisher, mine, checkpoints.at(-1)!, 5, options())).toMatchObject({
      type: 'published',
    });
    const [, read] = calls('com.atproto.repo.getRecord');
    expect(new URL(read!.url).host).toBe('shimeji.us-east.host.bsky.network');
    expect(read!.headers).not.toHaveProperty('authorization');
  });
});
