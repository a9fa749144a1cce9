import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { testOrigin, type TestOrigin } from '../../test/support/origin.ts';
import { openFollowing, sendFollowing } from './follow.ts';
import { createHttpClient, readUpTo, type HttpClient } from './http.ts';
import { resolveHost } from './resolve.ts';

const MIB = 1024 ** 2;
/** Far longer than what these tests take. */
const timeoutMs = 60_000;

let origin: TestOrigin;
let http: HttpClient;
beforeAll(async () => {
  const pace = { grace_ms: 200, bytes_per_second: 10 * MIB };
  http = createHttpClient({ sandboxUrl: null, allowLoopback: true }, resolveHost, pace);
  origin = await testOrigin((request, response) => HOSTS[request.url!.slice(1)]!(request, response));
});
afterAll(async () => {
  http.close();
  await origin.close();
});

const HOSTS: Record<string, RequestListener> = {
  dripping: (_, response) => {
    response.writeHead(200, { 'content-length': MIB });
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  },
  stopping: (_, response) => void response.writeHead(200, { 'content-length': MIB }).write('x'),
  silent: () => undefined,
  redirecting: (_, response) => void response.writeHead(302, { location: '/silent' }).end(),
  file: (_, response) => void response.end(Buffer.alloc(8 * MIB)),
};

const get = (host: string, answerMs?: number) =>
  ({ method: 'GET', url: `${origin.url}/${host}`, timeoutMs, ...(answerMs && { answerMs }) }) as const;

describe('a host that a user chose', () => {
  test.each(['dripping', 'stopping'])('that is %s is left long before the time-out', async host => {
    const { stream } = await openFollowing(http, get(host));
    const { failure } = await readUpTo(stream, MIB);
    expect(failure).toMatchObject({ reason: 'timeout', message: expect.stringMatching(/sends less than/) });
  });

  test.each(['silent', 'redirecting'])('that is %s must begin its response in time', async host => {
    await expect(openFollowing(http, get(host, 200))).rejects.toMatchObject({
      reason: 'timeout',
      message: 'The host did not answer in time',
    });
    await expect(sendFollowing(http, get(host, 200))).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('is not blamed for a reader that takes its time', async () => {
    const { stream } = await openFollowing(http, get('file'));
    const chunks = stream.iterator({ destroyOnReturn: false });
    await chunks.next();
    await new Promise(resolve => setTimeout(resolve, 1000));
    const { bytes, failure } = await readUpTo(stream, 8 * MIB);
    expect(failure).toBeNull();
    expect(bytes.length).toBeGreaterThan(7 * MIB);
  });
});

test('a platform may be slow within its time-out', async () => {
  const { stream } = await http.open(get('dripping'));
  await new Promise(resolve => setTimeout(resolve, 1000));
  expect(stream.destroyed).toBe(false);
  stream.destroy();
});
