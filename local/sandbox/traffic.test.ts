import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startFakeSandbox } from './fake.ts';
import { createTraffic, type TrafficRecord } from './traffic.ts';

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

describe('what the platform sees', () => {
  test('method, raw path, query and bytes arrive as they were sent', async () => {
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

  test('its own host, repeated headers, and nothing of the local stack', async () => {
    const headers = ['X-Many', 'one', 'X-Many', 'two', 'X-Local-Environment', 'env-1', 'Host', 'localhost'];
    const outgoing = request(`${fake.api}/echo/`, { headers });
    outgoing.end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const seen = JSON.parse(Buffer.concat(await response.toArray()).toString()) as { headers: object };
    expect(seen.headers).toMatchObject({ 'x-many': 'one, two', host: 'api.x.com' });
    expect(seen.headers).not.toHaveProperty('x-local-environment');
  });

  test('a file comes back byte for byte', async () => {
    const answer = await fetch(`${fake.api}/bytes`);
    expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([0, 255, 10]);
    expect((await recorded())[0]!.response).toEqual({ size: 3 });
  });

  test('HEAD has headers and no body', async () => {
    const answer = await fetch(`${fake.api}/bytes`, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('');
  });

  test('a host that is not played is told, and recorded', async () => {
    const answer = await fetch(`${fake.sandbox.url}/x/upload.x.com/a`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({ error: expect.stringContaining("no host 'upload.x.com'") });
    expect(await recorded()).toMatchObject([{ url: 'https://upload.x.com/a', status: 404 }]);
  });

  test('a platform that is not played is told', async () => {
    const answer = await fetch(`${fake.sandbox.url}/myspace/api.myspace.com/a`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({ error: expect.stringContaining('/x/<host>') });
  });
});

describe('the record', () => {
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

  test('decodes forms, with lists for names that repeat', async () => {
    const body = new URLSearchParams('a=1&b=x%20y&a=2');
    expect(await sent('/echo/', { method: 'POST', body })).toMatchObject({
      body_kind: 'form',
      body: { a: ['1', '2'], b: 'x y' },
    });
  });

  test('decodes multipart: text as text, files as what they are', async () => {
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

  test('keeps nameless parts as a list', async () => {
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
  ])('knows a body of kind %s', async (body_kind, init, body) => {
    expect(await sent('/echo/', { method: 'POST', ...init })).toMatchObject({ body_kind, body });
  });

  test('of a request that was lost on its way has no answer; of a lost answer it has', async () => {
    await fake.control('POST', '/faults', { platform: 'x', drop: 'before' });
    await fake.control('POST', '/faults', { platform: 'x', drop: 'after' });
    await fake.tweet('one').catch(() => null);
    await fake.tweet('two').catch(() => null);
    expect((await recorded()).map(({ status, body }) => [status, body])).toEqual([
      [null, { text: 'one' }],
      [201, { text: 'two' }],
    ]);
  });

  test('is narrowed by platform, number and time', async () => {
    await fake.tweet('one');
    await fake.tweet('two');
    expect(await recorded('?platform=bluesky')).toEqual([]);
    expect(await recorded('?platform=x&since=1')).toMatchObject([{ seq: 2 }]);
    expect(await recorded('?since=2026-03-02T10:00:00Z')).toHaveLength(2);
    expect(await recorded('?since=2026-03-02T10:00:01Z')).toEqual([]);
  });

  test('keeps the last ones only', () => {
    const traffic = createTraffic(2);
    for (const path of ['/a', '/b', '/c']) {
      const none = { headers: {}, body: Buffer.alloc(0), query: '', answer: null };
      traffic.record({ at: 0, platform: 'x', method: 'GET', host: 'api.x.com', path, ...none });
    }
    expect(traffic.list().map(({ seq, url }) => [seq, url])).toEqual([
      [2, 'https://api.x.com/b'],
      [3, 'https://api.x.com/c'],
    ]);
  });
});

describe('secrets are masked', () => {
  test('in forms, and in answers; cursors are no secrets', async () => {
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

  test('in JSON at any depth, but not where a name only looks like one', async () => {
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

  test('in queries, all else of them untouched', async () => {
    const record = await sent('/echo/?a=%20b&access_token=t&code=c&pagination_token=p', { method: 'GET' });
    expect(record.url).toBe('https://api.x.com/echo/?a=%20b&access_token=***&code=***&pagination_token=p');
  });

  test('in the path of a bot’s calls', () => {
    const traffic = createTraffic();
    const call = {
      at: 0,
      method: 'POST',
      host: 'api.telegram.org',
      query: '',
      headers: {},
      body: Buffer.alloc(0),
    };
    for (const path of ['/bot123:AbC-d/sendMessage', '/file/bot123:AbC-d/photos/1.jpg', '/botany']) {
      traffic.record({ ...call, platform: 'telegram', path, answer: null });
    }
    expect(traffic.list().map(({ url }) => url)).toEqual([
      'https://api.telegram.org/bot***/sendMessage',
      'https://api.telegram.org/file/bot***/photos/1.jpg',
      'https://api.telegram.org/bot***',
    ]);
  });
});
