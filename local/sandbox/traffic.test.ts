import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { SANDBOXES } from '../../shared/platforms/registry/sandboxes.ts';
import { startFakeSandbox } from './fake.ts';
import { createMask } from './mask.ts';
import { createTraffic, type Traffic, type TrafficRecord } from './traffic.ts';

let fake: Awaited<ReturnType<typeof startFakeSandbox>>;
beforeEach(async () => void (fake = await startFakeSandbox()));
afterEach(() => fake.sandbox.close());

async function recorded(query = ''): Promise<TrafficRecord[]> {
  const text = await (await fake.control('GET', `/traffic${query}`)).text();
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as TrafficRecord);
}

async function sent(path: string, init: RequestInit): Promise<TrafficRecord> {
  await (await fetch(`${fake.api}${path}`, init)).arrayBuffer();
  return (await recorded()).at(-1)!;
}

describe('a request to a platform', () => {
  test('arrives with its method, raw path, query and bytes', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const answer = await fetch(`${fake.api}/echo/a%2Fb/List(1)?q=%20x&q=y&empty=`, {
      method: 'PUT',
      body: bytes,
    });
    const seen = (await answer.json()) as Record<string, string>;
    expect(seen['method']).toBe('PUT');
    expect(seen['url']).toBe('/api.x.com/echo/a%2Fb/List(1)?q=%20x&q=y&empty=');
    expect(Buffer.from(seen['body_base64']!, 'base64')).toEqual(Buffer.from(bytes));
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  test('arrives with the real host and repeated headers, without headers of the local stack', async () => {
    const headers = ['X-Many', 'one', 'X-Many', 'two', 'X-Local-Environment', 'env-1', 'Host', 'localhost'];
    const outgoing = request(`${fake.api}/echo/`, { headers });
    outgoing.end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const seen = JSON.parse(Buffer.concat(await response.toArray()).toString()) as { headers: object };
    expect(seen.headers).toMatchObject({ 'x-many': 'one, two', host: 'api.x.com' });
    expect(seen.headers).not.toHaveProperty('x-local-environment');
  });

  test('returns the bytes of a file', async () => {
    const answer = await fetch(`${fake.api}/bytes`);
    expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([0, 255, 10]);
    expect((await recorded())[0]!.response).toEqual({ size: 3 });
  });

  test('reaches the platform at every subdomain of a wildcard host', async () => {
    const answer = await fetch(`${fake.sandbox.url}/x/media.cdn.example/bytes`);
    expect(await answer.text()).toBe('cdn');
    expect((await fetch(`${fake.sandbox.url}/x/cdn.example/bytes`)).status).toBe(404);
  });

  test('returns headers only for HEAD', async () => {
    const answer = await fetch(`${fake.api}/bytes`, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('');
  });

  test('gets 404 for an unknown host and is recorded', async () => {
    const answer = await fetch(`${fake.sandbox.url}/x/upload.x.com/a`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({
      error: expect.stringContaining("does not play the host 'upload.x.com'"),
    });
    expect(await recorded()).toMatchObject([{ url: 'https://upload.x.com/a', status: 404 }]);
  });

  test('gets 404 for an unknown platform', async () => {
    const answer = await fetch(`${fake.sandbox.url}/myspace/api.myspace.com/a`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({ error: expect.stringContaining('/x/<host>') });
  });
});

describe('a traffic record', () => {
  test('has the fields of the contract', async () => {
    await fake.tweet('Hello', { authorization: 'Bearer abc', 'x-local-environment': 'env-1' });
    const [record] = await recorded();
    expect(record).toEqual({
      seq: 1,
      at: '2026-03-02T10:00:00.000Z',
      platform: 'x',
      method: 'POST',
      url: 'https://api.x.com/2/tweets',
      headers: expect.objectContaining({
        authorization: 'Bearer ***',
        'content-type': 'application/json',
        host: 'api.x.com',
      }),
      body_kind: 'json',
      body: { text: 'Hello' },
      status: 201,
      response: { data: { id: '1', text: 'Hello' } },
    });
    expect(record!.headers).not.toHaveProperty('x-local-environment');
  });

  test('decodes forms with arrays for repeated names', async () => {
    const body = new URLSearchParams('a=1&b=x%20y&a=2');
    expect(await sent('/echo/', { method: 'POST', body })).toMatchObject({
      body_kind: 'form',
      body: { a: ['1', '2'], b: 'x y' },
    });
  });

  test('decodes multipart with descriptions of files', async () => {
    const body = new FormData();
    body.set('caption', 'Grüße\r\n--');
    body.append('photo', new File([Uint8Array.of(13, 10, 45, 45, 0)], 'ä.jpg', { type: 'image/jpeg' }));
    expect(await sent('/echo/', { method: 'POST', body })).toMatchObject({
      body_kind: 'multipart',
      body: {
        caption: 'Grüße\r\n--',
        photo: { name: 'photo', filename: 'ä.jpg', content_type: 'image/jpeg', size: 5 },
      },
    });
  });

  test('decodes parts without names as an array', async () => {
    const body =
      '--b\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n--b\r\nContent-Type: video/mp4\r\n\r\n123\r\n--b--';
    const headers = { 'content-type': 'multipart/related; boundary="b"' };
    expect((await sent('/echo/', { method: 'POST', body, headers })).body).toEqual([
      { content_type: 'application/json', value: '{"a":1}' },
      { content_type: 'video/mp4', size: 3 },
    ]);
  });

  test.each([
    ['binary', { body: Uint8Array.of(1, 2), headers: { 'content-type': 'image/png' } }, { size: 2 }],
    ['none', {}, null],
    ['json', { body: '{"broken', headers: { 'content-type': 'application/json' } }, '{"broken'],
  ])('has the body kind %s', async (body_kind, init, body) => {
    expect(await sent('/echo/', { method: 'POST', ...init })).toMatchObject({ body_kind, body });
  });

  test('has a status only if the platform received the request', async () => {
    await fake.control('POST', '/faults', { platform: 'x', drop: 'before' });
    await fake.control('POST', '/faults', { platform: 'x', drop: 'after' });
    await fake.tweet('one').catch(() => null);
    await fake.tweet('two').catch(() => null);
    expect((await recorded()).map(({ status, body }) => [status, body])).toEqual([
      [null, { text: 'one' }],
      [201, { text: 'two' }],
    ]);
  });

  test('is listed by platform, number and time', async () => {
    await fake.tweet('one');
    await fake.tweet('two');
    expect(await recorded('?platform=bluesky')).toEqual([]);
    expect(await recorded('?platform=x&since=1')).toMatchObject([{ seq: 2 }]);
    expect(await recorded('?since=2026-03-02T10:00:00Z')).toHaveLength(2);
    expect(await recorded('?since=2026-03-02T10:00:01Z')).toEqual([]);
  });

  test('is filtered by a part of the name of the function that sent it', async () => {
    await fake.tweet('one', { 'x-local-environment': 'stack-publisher-x:3' });
    await fake.tweet('two', { 'x-local-environment': 'stack-insights:1' });
    await fake.tweet('three');
    expect(await recorded('?function=publisher-')).toMatchObject([{ seq: 1 }]);
  });

  const plainRequest = { headers: {}, body: Buffer.alloc(0), query: '', caller: null, response: null };
  const parsedLines = (traffic: Traffic) => traffic.lines().map(line => JSON.parse(line) as TrafficRecord);

  test('is deleted when there are more than the maximum', () => {
    const traffic = createTraffic({ maxRecords: 2 });
    for (const path of ['/a', '/b', '/c']) {
      traffic.record({ ...plainRequest, at: 0, platform: 'x', method: 'GET', host: 'api.x.com', path });
    }
    expect(parsedLines(traffic).map(({ seq, url }) => [seq, url])).toEqual([
      [2, 'https://api.x.com/b'],
      [3, 'https://api.x.com/c'],
    ]);
  });

  test('is deleted when the records exceed the maximum of bytes', () => {
    const traffic = createTraffic({ maxBytes: 3000 });
    for (let index = 0; index < 100; index += 1) {
      const path = `/${'a'.repeat(100)}`;
      traffic.record({ ...plainRequest, at: 0, platform: 'x', method: 'GET', host: 'api.x.com', path });
    }
    expect(traffic.lines().join('').length).toBeLessThanOrEqual(3000);
    expect(parsedLines(traffic).at(-1)).toMatchObject({ seq: 100 });
  });
});

describe('secrets are masked', () => {
  test('in forms and responses, but not cursors', async () => {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: 'the-code',
      code_verifier: 'v',
      client_id: 'id',
      client_secret: 's',
      refresh_token: 'r',
      redirect_uri: 'https://a.example/cb',
    });
    const record = await sent('/token', {
      method: 'POST',
      body,
      headers: { authorization: 'Basic aWQ6cw==' },
    });
    expect(record.headers['authorization']).toBe('Basic ***');
    expect(record.body).toEqual({
      grant_type: 'authorization_code',
      code: '***',
      code_verifier: '***',
      client_id: 'id',
      client_secret: '***',
      refresh_token: '***',
      redirect_uri: 'https://a.example/cb',
    });
    expect(record.response).toEqual({
      access_token: '***',
      refresh_token: '***',
      token_type: 'bearer',
      next_token: 'page-2',
    });
  });

  test('in JSON at any depth, but not under similar names', async () => {
    const body = {
      identifier: 'me',
      password: 'p',
      a: [{ accessJwt: 'j', code: 'invalid', count_token: 3 }],
    };
    const headers = { 'content-type': 'application/json' };
    expect((await sent('/echo/', { method: 'POST', headers, body: JSON.stringify(body) })).body).toEqual({
      identifier: 'me',
      password: '***',
      a: [{ accessJwt: '***', code: 'invalid', count_token: 3 }],
    });
  });

  test('in queries without changing the rest', async () => {
    const record = await sent('/echo/?a=%20b&access_token=t&code=c&pagination_token=p', { method: 'GET' });
    expect(record.url).toBe('https://api.x.com/echo/?a=%20b&access_token=***&code=***&pagination_token=p');
  });

  test('by the names and the path that the platform defines', async () => {
    const record = await sent('/echo/?pin=1&pins=2', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-pin': '1' },
      body: JSON.stringify({ pin: '1', pins: '2' }),
    });
    expect(record.url).toBe('https://api.x.com/echo/?pin=***&pins=2');
    expect(record.headers['x-pin']).toBe('***');
    expect(record.body).toEqual({ pin: '***', pins: '2' });
    expect((await sent('/bot123:abc/sendMessage', {})).url).toBe('https://api.x.com/bot***/sendMessage');
  });

  test.each(['/bot123:AbC-d/sendMessage', '/file/bot123:AbC-d/photos/1.jpg', '/bot123:AbC-d'])(
    'in the path %s of Telegram',
    path => {
      const masked = createMask(SANDBOXES.telegram?.secrets).path(path);
      expect(masked).toBe(path.replace('123:AbC-d', '***'));
    },
  );
});
