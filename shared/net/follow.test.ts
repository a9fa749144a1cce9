import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { testOrigin, type TestOrigin } from '../../test/support/origin.ts';
import { openFollowing, sendFollowing } from './follow.ts';
import { createHttpClient, type HttpClient } from './http.ts';

const HOP_MS = 400;

let origin: TestOrigin;
let http: HttpClient;
beforeAll(async () => {
  http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
  // `/3` redirects to `/2`, and so on; `/0` is the file. Each response takes a while.
  origin = await testOrigin((request, response) => {
    const hops = Number(request.url!.slice(1));
    setTimeout(() => {
      if (hops > 0) response.writeHead(302, { location: `/${hops - 1}` }).end();
      else response.end('file');
    }, HOP_MS);
  });
});
afterAll(async () => {
  http.close();
  await origin.close();
});

const get = (hops: number, timeoutMs: number) =>
  ({ method: 'GET', url: `${origin.url}/${hops}`, timeoutMs }) as const;

test('follows redirects to the response and its URL', async () => {
  const { status, url, body } = await sendFollowing(http, get(2, 20_000));
  expect([status, url, body.toString()]).toEqual([200, `${origin.url}/0`, 'file']);
});

test('limits a chain of slow redirects by one time-out', async () => {
  await expect(openFollowing(http, get(3, 2.5 * HOP_MS))).rejects.toMatchObject({ reason: 'timeout' });
});

test('follows five redirects at most', async () => {
  await expect(openFollowing(http, get(6, 20_000))).rejects.toMatchObject({
    reason: 'network',
    message: 'The URL redirects more than 5 times',
  });
});
