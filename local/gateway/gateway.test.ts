import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { Hono } from 'hono';
import type { InvocationResult } from '../lambda/environment.ts';
import { startGateway, type Gateway } from './gateway.ts';
import { createRouter } from './routes.ts';

describe('the router', () => {
  const keys = [
    '$default',
    'GET /v1/posts/{id}',
    'GET /v1/posts/validate',
    'ANY /v1/posts/{id}',
    'GET /v1/{proxy+}',
    'GET /v1/posts/{id}/retry',
    'DELETE /v1/{kind}/{id}',
  ];
  const route = createRouter(keys.map(key => ({ key, function: key })));

  test.each([
    ['GET', '/v1/posts/validate', 'GET /v1/posts/validate', {}],
    ['GET', '/v1/posts/1', 'GET /v1/posts/{id}', { id: '1' }],
    ['PUT', '/v1/posts/1', 'ANY /v1/posts/{id}', { id: '1' }],
    ['GET', '/v1/posts/a%2Fb%20c', 'GET /v1/posts/{id}', { id: 'a/b c' }],
    ['GET', '/v1/posts/1/retry', 'GET /v1/posts/{id}/retry', { id: '1' }],
    ['GET', '/v1/a/b/c', 'GET /v1/{proxy+}', { proxy: 'a/b/c' }],
    ['DELETE', '/v1/webhooks/2', 'DELETE /v1/{kind}/{id}', { kind: 'webhooks', id: '2' }],
    ['POST', '/v1/other', '$default', {}],
    ['GET', '/elsewhere', '$default', {}],
    ['PUT', '/v1/posts/', '$default', {}],
  ])('routes %s %s to %s', (method, path, key, pathParameters) => {
    expect(route(method, path)).toEqual({ route: { key, function: key }, pathParameters });
  });

  test('returns null without a default route', () => {
    expect(createRouter([{ key: 'GET /a', function: 'f' }])('GET', '/b')).toBeNull();
  });
});

describe('the gateway', () => {
  let gateway: Gateway;
  let events: APIGatewayProxyEventV2[];
  let outcome: InvocationResult;

  beforeAll(async () => {
    const local = new Hono();
    local.get('/clock', c => c.json({ now: 'now' }));
    gateway = await startGateway(0);
    const early = await fetch(`${gateway.url}/v1/posts`);
    expect(early.status).toBe(503);
    gateway.open({
      routes: [{ key: 'ANY /v1/posts/{id}', function: 'posts' }],
      invoke: (_, event) => {
        events.push(event as APIGatewayProxyEventV2);
        return Promise.resolve(outcome);
      },
      now: () => 1_800_000_000_000,
      local,
      cdn: () => Promise.resolve(),
    });
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    events = [];
    outcome = { ok: true, result: { statusCode: 200, body: 'ok' } };
  });

  const call = (init?: RequestInit, path = '/v1/posts/7') => fetch(gateway.url + path, init);

  test('sends an event of payload format 2.0', async () => {
    await call({ headers: { 'X-Thing': 'a', cookie: 'c=1; d=2' } }, '/v1/posts/7?a=1&a=2&b=%20x');
    const host = new URL(gateway.url).host;
    expect(events[0]).toMatchObject({
      version: '2.0',
      routeKey: 'ANY /v1/posts/{id}',
      rawPath: '/v1/posts/7',
      rawQueryString: 'a=1&a=2&b=%20x',
      cookies: ['c=1', 'd=2'],
      queryStringParameters: { a: '1,2', b: ' x' },
      pathParameters: { id: '7' },
      headers: { 'x-thing': 'a', 'x-forwarded-proto': 'http', host },
      requestContext: {
        domainName: host,
        stage: '$default',
        timeEpoch: 1_800_000_000_000,
        http: { method: 'GET', path: '/v1/posts/7', sourceIp: '127.0.0.1' },
      },
      isBase64Encoded: false,
    });
    expect(events[0]).not.toHaveProperty('body');
    expect(events[0]?.headers).not.toHaveProperty('cookie');
  });

  test.each([
    ['application/json', '{"ü":1}', false],
    ['application/problem+json', '{}', false],
    ['text/plain', 'é', false],
    ['application/x-www-form-urlencoded', 'a=1', true],
    ['multipart/form-data; boundary=b', '--b--', true],
    ['image/png', '\u0089PNG', true],
  ])('passes a body of type %s', async (type, body, isBase64Encoded) => {
    await call({ method: 'POST', headers: { 'content-type': type }, body });
    const sent = Buffer.from(events[0]?.body ?? '', isBase64Encoded ? 'base64' : 'utf8').toString();
    expect([sent, events[0]?.isBase64Encoded]).toEqual([body, isBase64Encoded]);
  });

  test('returns the response of the function', async () => {
    const body = Buffer.from([1, 2, 255]).toString('base64');
    outcome = {
      ok: true,
      result: {
        statusCode: 201,
        headers: { 'X-A': 1 },
        cookies: ['a=1', 'b=2'],
        body,
        isBase64Encoded: true,
      },
    };
    const answer = await call();
    expect(answer.status).toBe(201);
    expect(answer.headers.get('x-a')).toBe('1');
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([1, 2, 255]);
  });

  test('returns a result without statusCode as the body', async () => {
    outcome = { ok: true, result: { some: 'thing' } };
    const answer = await call();
    expect([answer.status, await answer.json()]).toEqual([200, { some: 'thing' }]);
  });

  test.each([
    ['Error', 500, 'Internal Server Error'],
    ['Runtime.Killed', 500, 'Internal Server Error'],
    ['Sandbox.Timedout', 503, 'Service Unavailable'],
  ])('returns %2$d when the invocation fails with %s', async (errorType, status, message) => {
    outcome = { ok: false, errorType, errorMessage: 'secret' };
    const answer = await call();
    expect([answer.status, await answer.json()]).toEqual([status, { message }]);
  });

  test('refuses a body above the payload limit of Lambda', async () => {
    const most = await call({ method: 'POST', body: new Uint8Array(4_500_000) });
    expect(most.status).toBe(200);
    const more = await call({ method: 'POST', body: new Uint8Array(4_500_001) });
    expect(more.status).toBe(413);
    expect(await more.json()).toMatchObject({ code: 'BODY_TOO_LARGE', max_bytes: 4_500_000 });
    expect(events).toHaveLength(1);
  });

  test('returns 404 without a matching route and serves /_local', async () => {
    expect((await call({}, '/nothing')).status).toBe(404);
    expect(await (await call({}, '/_local/clock')).json()).toEqual({ now: 'now' });
  });
});
