import { afterAll, afterEach, expect, test } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { testOrigin, type TestOrigin } from '../../../test/support/origin.ts';
import { createHttpClient } from '../../../shared/net/http.ts';
import { openByteSource, type ByteSource } from './byte-source.ts';

const FILE = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7) % 251));
const http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
let origin: TestOrigin | null = null;
let ranges: (string | undefined)[] = [];

afterEach(async () => {
  ranges = [];
  await origin?.close();
  origin = null;
});

afterAll(() => http.close());

type Answer = (start: number, response: ServerResponse, request: IncomingMessage) => void;

async function open(answer: Answer): Promise<ByteSource> {
  const server = await testOrigin((request, response) => {
    ranges.push(request.headers.range);
    const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    answer(start, response, request);
  });
  origin = server;
  return openByteSource(http, `${server.url}/clip.mp4`, [1, 1, 1]);
}

function ranged(start: number, response: ServerResponse): ServerResponse {
  return response.writeHead(206, {
    'content-range': `bytes ${start}-${FILE.length - 1}/${FILE.length}`,
    'content-length': FILE.length - start,
    etag: '"v1"',
  });
}

async function readAll(source: ByteSource): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let piece = await source.read(5000); piece; piece = await source.read(5000)) pieces.push(piece);
  return Buffer.concat(pieces);
}

test('reads a file through connections that break, each from where the last one ended', async () => {
  const source = await open((start, response) => {
    ranged(start, response).write(FILE.subarray(start, start + 8192), () => response.destroy());
  });
  expect(FILE.equals(await readAll(source))).toBe(true);
  expect(ranges.length).toBeGreaterThan(10);
  expect(ranges[0]).toBe('bytes=0-');
});

test('reads through a short distance and sends a request for a long one', async () => {
  const source = await open((start, response) => void ranged(start, response).end(FILE.subarray(start)));
  source.seek(50_000);
  expect((await source.read(10))?.[0]).toBe(FILE[50_000]);
  source.seek(10);
  expect((await source.read(1))?.[0]).toBe(FILE[10]);
  expect(ranges).toEqual(['bytes=0-', 'bytes=10-']);
  source.seek(FILE.length);
  expect(await source.read(10)).toBeNull();
});

test('cannot seek at a host without ranges', async () => {
  const source = await open((_, response) => void response.writeHead(200).end(FILE));
  expect(source.canSeek).toBe(false);
  expect(FILE.equals(await readAll(source))).toBe(true);
});

test('does not mix two versions of a file', async () => {
  const source = await open((start, response) => {
    if (start === 0) ranged(0, response).write(FILE.subarray(0, 5000), () => response.destroy());
    else response.writeHead(200).end(FILE);
  });
  await source.read(5000);
  await expect(readAll(source)).rejects.toMatchObject({ code: 'UNREACHABLE' });
  expect(source.failure()).toMatchObject({ code: 'UNREACHABLE' });
});

test('waits out a host that is busy, and gives up after four attempts', async () => {
  const busy: Answer = (start, response) => {
    if (ranges.length < 3) response.writeHead(503).end();
    else ranged(start, response).end(FILE);
  };
  expect(FILE.equals(await readAll(await open(busy)))).toBe(true);
  await origin!.close();
  ranges = [];
  await expect(open((_, response) => void response.writeHead(503).end())).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: 'The host answered 503',
  });
  expect(ranges).toHaveLength(4);
});

test.each([
  [404, 'HTTP_STATUS'],
  [403, 'HTTP_STATUS'],
  [416, 'NOT_PLAYABLE'],
])('does not repeat a request that was answered with %i', async (status, code) => {
  await expect(open((_, response) => void response.writeHead(status).end())).rejects.toMatchObject({ code });
  expect(ranges).toHaveLength(1);
});

test.each([
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data',
  'http://user:word@example.com/clip.mp4',
])('does not open %s', async url => {
  await expect(openByteSource(http, url, [])).rejects.toMatchObject({ code: 'BLOCKED' });
});

test('does not follow a redirect to a private address', async () => {
  const redirect: Answer = (_, response) =>
    void response.writeHead(302, { location: 'http://10.0.0.1/clip.mp4' }).end();
  await expect(open(redirect)).rejects.toMatchObject({ code: 'BLOCKED' });
  expect(ranges).toHaveLength(1);
});
