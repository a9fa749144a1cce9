import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Hono } from 'hono';
import { startFakeSandbox } from './fake.ts';
import { makeFiles } from './media/files.ts';

let fake: Awaited<ReturnType<typeof startFakeSandbox>>;
beforeEach(async () => {
  const local = new Hono();
  local.get('/clock', c => c.json({ now: 'soon' }));
  fake = await startFakeSandbox({ local });
});
afterEach(() => fake.sandbox.close());

const json = async (method: string, path: string, body?: unknown): Promise<unknown> =>
  (await fake.control(method, path, body)).json();

test('lists published posts by platform and account', async () => {
  await fake.tweet('Hello');
  const post = {
    platform: 'x',
    account: 'demo',
    platform_post_id: '1',
    platform_post_url: 'https://x.com/demo/status/1',
    kind: 'text',
    text: 'Hello',
    title: null,
    media: [],
    comments: [],
    fields: { text: 'Hello' },
    published_at: '2026-03-02T10:00:00.000Z',
  };
  expect(await json('GET', '/published')).toEqual({ items: [post] });
  expect(await json('GET', '/published?platform=x&account=demo')).toEqual({ items: [post] });
  expect(await json('GET', '/published?account=other')).toEqual({ items: [] });
  expect(await json('GET', '/published?platform=telegram')).toEqual({ items: [] });
  fake.platform.host().unpublish('x', '1');
  expect(await json('GET', '/published')).toEqual({ items: [] });
});

test('passes token actions to the platform', async () => {
  await fake.control('POST', '/tokens', { platform: 'x', action: 'expire' });
  await fake.control('POST', '/tokens', { platform: 'x', account: 'demo', action: 'revoke_refresh' });
  expect(fake.platform.calls).toEqual(['expire all', 'revoke_refresh demo']);
  expect((await fake.control('POST', '/tokens', { platform: 'telegram', action: 'expire' })).status).toBe(
    400,
  );
});

test('sets the processing time and outcome of a platform', async () => {
  const host = fake.platform.host();
  expect(host.processing('x')).toEqual({ seconds: 0, outcome: 'ok', error: null });
  await fake.control('POST', '/processing', {
    platform: 'x',
    seconds: 5,
    outcome: 'error',
    error: 'InvalidMedia',
  });
  expect(host.processing('x')).toEqual({ seconds: 5, outcome: 'error', error: 'InvalidMedia' });
  expect(host.processing('telegram')).toEqual({ seconds: 0, outcome: 'ok', error: null });
});

test('returns the body that connects the demo account of each platform', async () => {
  expect(await json('GET', '/demo')).toEqual({ x: { pin: '1' } });
});

test('sets the metrics of a post', async () => {
  const metrics = { likes: 3, comments: 2, shares: 1, views: 100 };
  await fake.control('POST', '/metrics', { platform: 'x', platform_post_id: '1', ...metrics });
  expect(fake.platform.host().metrics('x', '1')).toEqual(metrics);
  expect(fake.platform.host().metrics('x', '2')).toBeNull();
});

test('passes the begin and end of live streams to the platform', async () => {
  const post = async (body: object) =>
    (await fake.control('POST', '/streams', { platform: 'x', stream_key: 'key', ...body })).status;
  expect(await post({ active: true })).toBe(200);
  expect(await post({ active: false })).toBe(200);
  expect(await post({ active: true, stream_key: 'unknown' })).toBe(400);
  expect(fake.platform.calls).toEqual(['started key', 'stopped key']);
});

test('prefers the limit of an account to that of all accounts', async () => {
  const host = fake.platform.host();
  await fake.control('POST', '/limits', { platform: 'x', per_day: 10 });
  await fake.control('POST', '/limits', { platform: 'x', account: 'demo', per_day: 0 });
  expect([host.limit('x', 'demo'), host.limit('x', 'other')]).toEqual([{ per_day: 0 }, { per_day: 10 }]);
  await fake.control('POST', '/limits', { platform: 'x', account: 'demo' });
  expect(host.limit('x', 'demo')).toEqual({ per_day: 10 });
});

describe('media that platforms receive', () => {
  test('are identified by their bytes and served as inert files', async () => {
    const bytes = (await makeFiles()).get('rotated.jpg')!.bytes;
    const stored = await fake.platform.host().storeMedia(bytes);
    expect(stored).toMatchObject({ type: 'image/jpeg', size: bytes.length, width: 1200, height: 800 });
    const answer = await fake.control('GET', `/media/${stored.sha256}`);
    expect(answer.headers.get('content-type')).toBe('image/jpeg');
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'none'");
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    expect((await fake.control('GET', '/media/0000')).status).toBe(404);
  });

  test('are the same if they arrive in pieces, of which one is sent again', async () => {
    const bytes = (await makeFiles()).get('clip.mp4')!.bytes;
    const { storeMedia, openUpload } = fake.platform.host();
    const upload = openUpload();
    upload.write(Buffer.alloc(1000), 0);
    upload.write(bytes.subarray(0, 1000), 0);
    upload.write(bytes.subarray(1000), 1000);
    const stored = await upload.store();
    expect(stored).toEqual(await storeMedia(bytes));
    const answer = await fake.control('GET', `/media/${stored.sha256}`);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('have a generic type if their format is unknown', async () => {
    expect(await fake.platform.host().storeMedia(Buffer.from('plain'))).toEqual({
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      type: 'application/octet-stream',
      size: 5,
    });
  });
});

test('restores the initial state on reset', async () => {
  await fake.tweet('Hello');
  await fake.platform.host().storeMedia(Buffer.from('plain'));
  await fake.control('POST', '/faults', { platform: 'x', drop: 'after', times: 0 });
  await fake.control('POST', '/processing', { platform: 'x', seconds: 5 });
  await fake.control('POST', '/limits', { platform: 'x', per_day: 0 });
  await fake.control('POST', '/metrics', { platform: 'x', platform_post_id: '1', likes: 1 });
  await fetch(`${fake.sandbox.url}/_receiver/shop`, { method: 'POST' });

  expect((await fake.control('POST', '/reset')).status).toBe(200);

  const host = fake.platform.host();
  expect(await json('GET', '/published')).toEqual({ items: [] });
  expect(await json('GET', '/faults')).toEqual({ items: [] });
  expect(await json('GET', '/receiver/shop')).toEqual({ deliveries: [] });
  expect(await (await fake.control('GET', '/traffic')).text()).toBe('');
  expect(host.processing('x').seconds).toBe(0);
  expect([host.limit('x', 'demo'), host.metrics('x', '1')]).toEqual([null, null]);
  expect(fake.platform.calls).toEqual(['reset']);
});

test.each([
  ['/tokens', { platform: 'x', action: 'burn' }],
  ['/processing', { platform: 'x', seconds: -1 }],
  ['/metrics', { platform: 'x', likes: 1 }],
  ['/limits', { account: 'demo' }],
])('refuses POST %s %j', async (path, body) => {
  const answer = await fake.control('POST', path, body);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toEqual({ error: expect.any(String), issues: [expect.any(Object)] });
});

test('serves the endpoints of the local stack', async () => {
  expect(await (await fetch(`${fake.sandbox.url}/_local/clock`)).json()).toEqual({ now: 'soon' });
});

test('returns 404 for unknown paths', async () => {
  expect((await fake.control('GET', '/nothing')).status).toBe(404);
  expect((await fetch(`${fake.sandbox.url}/favicon.ico`)).status).toBe(404);
});
