import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { createTestBucket, type TestBucket } from '../../../test/support/bucket.ts';
import { testOrigin, type TestOrigin } from '../../../test/support/origin.ts';
import { sampleFiles } from '../../../test/support/media.ts';
import { newTransfer, type Transfer } from '../../model/transfer.ts';
import { createHttpClient, type HttpClient, type HttpRequest } from '../../net/http.ts';
import { resolveHost } from '../../net/resolve.ts';
import { openObject } from '../../store/objects.ts';
import { runTransfer, type TransferResult, type TransferRun } from './run-transfer.ts';

const MIB = 1024 ** 2;

let bucket: TestBucket;
let origin: TestOrigin;
let http: HttpClient;
let answer: RequestListener;
/** Parts as small as S3 allows, and a little more, so that less than a part can be stored, too. */
const PART = 5.25 * MIB;
/** Less than a part, and enough to be stored as one. */
const CUT = 5.1 * MIB;
/** Two full parts and a rest. */
const LARGE = 11 * MIB;
let large: Buffer;
let jpg: Buffer;
let mp4: Buffer;
/** Ranges that were requested. */
let ranges: (string | undefined)[];
/** The last saved transfer. */
let saved: Transfer | null;

beforeAll(async () => {
  const sample = await sampleFiles();
  jpg = sample('photo.jpg');
  mp4 = sample('clip.mp4');
  large = enlarged(jpg, LARGE);
  origin = await testOrigin((request, response) => {
    ranges.push(request.headers.range);
    answer(request, response);
  });
  http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
});
afterAll(async () => {
  http.close();
  await origin.close();
});
beforeEach(async () => {
  bucket = await createTestBucket();
  ranges = [];
  saved = null;
});
afterEach(() => bucket.close());

/** Returns a file of this size in which no two places look the same. */
function enlarged(file: Buffer, size: number): Buffer {
  const numbers = Uint32Array.from({ length: Math.ceil((size - file.length) / 4) }, (_, index) => index);
  return Buffer.concat([file, Buffer.from(numbers.buffer)], size);
}

const options = (): TransferRun => ({
  bucket,
  http,
  remainingMs: () => 60_000,
  maxInlineBytes: Number.POSITIVE_INFINITY,
  maxFailures: 3,
  newKey: format => `public/media/key.${format}`,
  save: next => {
    saved = next;
    return Promise.resolve();
  },
});

function run(transfer: Transfer = newTransfer(`${origin.url}/file`), changes: Partial<TransferRun> = {}) {
  return runTransfer({ ...options(), partBytes: PART, pauseMs: 10, ...changes }, transfer);
}

/** Returns the bucket with an exception for one command. */
function bucketExcept(name: string, answer: () => Promise<unknown>): TestBucket {
  const { client } = bucket;
  const send = (command: { constructor: { name: string } }) =>
    command.constructor.name === name ? answer() : client.send(command as never);
  return { ...bucket, client: Object.assign(Object.create(client) as typeof client, { send }) };
}

/** Serves a file with range support. `cutAfter`: every response ends after so many bytes. */
function serve(
  bytes: Buffer,
  {
    etag = '"v1"',
    cutAfter = Infinity,
    supportsRanges = true,
  }: { etag?: string; cutAfter?: number; supportsRanges?: boolean } = {},
): RequestListener {
  return (request, response) => {
    const start = supportsRanges ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0;
    const isSame = request.headers['if-range'] === undefined || request.headers['if-range'] === etag;
    const from = isSame ? start : 0;
    const content = bytes.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': content.length,
      etag,
      ...(from > 0 && { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
    });
    if (content.length <= cutAfter) response.end(content);
    else response.write(content.subarray(0, cutAfter), () => response.destroy());
  };
}

async function stored(result: TransferResult): Promise<Buffer> {
  if (result.type !== 'done') throw new Error(`It ended as ${result.type}`);
  return Buffer.concat(await (await openObject(bucket, result.key))!.toArray());
}

describe('the transfer of a file', () => {
  test('stores a small file with one request', async () => {
    answer = serve(jpg);
    const result = await run();
    expect(result).toMatchObject({ type: 'done', format: 'JPG', size: jpg.length });
    expect((await stored(result)).equals(jpg)).toBe(true);
    expect(bucket.operations).not.toContain('UploadPart');
  });

  test('stores a large file in parts of 32 MiB by default', async () => {
    const real = enlarged(jpg, 40 * MIB);
    answer = serve(real);
    const result = await runTransfer(options(), newTransfer(`${origin.url}/file`));
    expect((await stored(result)).equals(real)).toBe(true);
    expect(bucket.operations.filter(name => name === 'UploadPart')).toHaveLength(2);
  });

  test('continues after the last stored byte when the host cuts the connection', async () => {
    answer = serve(large, { cutAfter: CUT });
    const result = await run();
    expect((await stored(result)).equals(large)).toBe(true);
    expect(ranges[0]).toBeUndefined();
    expect(ranges.slice(1)).toEqual([
      expect.stringMatching(/^bytes=\d+-$/),
      expect.stringMatching(/^bytes=\d+-$/),
    ]);
  });

  test('leaves a slow host to another run, so that it holds no worker', async () => {
    const slow = createHttpClient({ sandboxUrl: null, allowLoopback: true }, resolveHost, {
      grace_ms: 100,
      bytes_per_second: MIB,
    });
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': large.length }).write(jpg);
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    };
    const result = await run(newTransfer(`${origin.url}/file`), { http: slow });
    slow.close();
    expect(result).toMatchObject({
      type: 'more',
      message: expect.stringMatching(/sends less than/),
      transfer: { failures: 1 },
    });
    expect(ranges).toHaveLength(1);
  });

  test('starts again with a host that ignores ranges', async () => {
    let count = 0;
    answer = (request, response) => {
      count += 1;
      serve(large, { supportsRanges: false, cutAfter: count === 1 ? 8 * MIB : Infinity })(request, response);
    };
    const result = await run();
    expect((await stored(result)).equals(large)).toBe(true);
    expect(count).toBe(2);
  });

  test('never combines parts of two versions of a file', async () => {
    const other = Buffer.concat([jpg, Buffer.alloc(LARGE - jpg.length, 9)]);
    let count = 0;
    answer = (request, response) => {
      count += 1;
      if (count === 1) serve(large, { cutAfter: 8 * MIB })(request, response);
      else serve(other, { etag: '"v2"' })(request, response);
    };
    const result = await run();
    expect((await stored(result)).equals(other)).toBe(true);
  });

  test('continues in another run after a crash', async () => {
    answer = serve(large, { cutAfter: 7 * MIB });
    let left = 1;
    const crashing = {
      ...http,
      open: (request: HttpRequest) =>
        left-- > 0 ? http.open(request) : Promise.reject(new Error('crashed')),
    };
    await expect(run(undefined, { http: crashing })).rejects.toThrow('crashed');
    expect(saved?.s3_upload_id).toEqual(expect.any(String));
    answer = serve(large);
    const result = await run(saved!);
    expect((await stored(result)).equals(large)).toBe(true);
    expect(Number(/\d+/.exec(ranges.at(-1) ?? '')?.[0])).toBeGreaterThanOrEqual(PART);
  });

  test('completes a file whose last part was stored when its run crashed', async () => {
    answer = serve(large);
    const crashing = bucketExcept('CompleteMultipartUploadCommand', () =>
      Promise.reject(new Error('crashed')),
    );
    await expect(run(undefined, { bucket: crashing })).rejects.toThrow('crashed');
    answer = (_, response) => void response.writeHead(416).end();
    const result = await run(saved!);
    expect((await stored(result)).equals(large)).toBe(true);
    expect(ranges).toHaveLength(1);
  });

  test('starts again when the file became shorter than what is stored', async () => {
    const short = Buffer.concat([jpg, Buffer.alloc(MIB)]);
    let count = 0;
    answer = (request, response) => {
      count += 1;
      if (count === 1) serve(large, { cutAfter: 8 * MIB })(request, response);
      else if (request.headers.range === undefined) serve(short, { etag: '"v2"' })(request, response);
      else response.writeHead(416, { 'content-type': 'text/html' }).end('<html>Range Not Satisfiable</html>');
    };
    expect((await stored(await run())).equals(short)).toBe(true);
  });

  test('finds a file that was complete when its run crashed', async () => {
    answer = serve(large);
    const first = await run();
    const again = await run(saved!);
    expect(again).toMatchObject({ type: 'done', size: large.length });
    expect((await stored(first)).equals(large)).toBe(true);
    expect(ranges).toHaveLength(1);
  });

  test('ends with what was received when its time is over', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': large.length });
      response.write(large.subarray(0, CUT));
    };
    const runFor = (ms: number) => {
      const ends = performance.now() + ms;
      return run(undefined, { remainingMs: () => ends - performance.now(), maxFailures: 8 });
    };
    // A busy machine may need longer until it has received anything.
    let result = await runFor(4000);
    for (let ms = 8000; result.transfer.s3_upload_id === null && ms < 100_000; ms *= 2)
      result = await runFor(ms);
    expect(result).toMatchObject({
      type: 'more',
      transfer: { failures: 0, s3_upload_id: expect.any(String) },
    });
  });

  test('decompresses a compressed response', async () => {
    const compressed = gzipSync(jpg);
    answer = (_, response) =>
      void response
        .writeHead(200, { 'content-encoding': 'gzip', 'content-length': compressed.length })
        .end(compressed);
    const result = await run();
    expect((await stored(result)).equals(jpg)).toBe(true);
  });

  test('refuses an unsupported compression', async () => {
    answer = (_, response) => void response.writeHead(200, { 'content-encoding': 'zstd' }).end('x');
    expect(await run()).toMatchObject({ type: 'failed', message: expect.stringContaining('zstd') });
  });

  test('accepts a file without a declared size', async () => {
    answer = (_, response) => {
      response.write(jpg.subarray(0, 10));
      response.end(jpg.subarray(10));
    };
    expect((await stored(await run())).equals(jpg)).toBe(true);
  });

  test('refuses a file at once that declares to be larger than the limit', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': 600 * MIB });
      response.write(large.subarray(0, MIB));
    };
    expect(await run()).toMatchObject({ type: 'failed', message: expect.stringMatching(/larger than/) });
    expect(bucket.keys()).toEqual([]);
  });

  test('stops an endless file at the limit and leaves nothing', async () => {
    answer = (_, response) => endless(response, jpg);
    // Storing hundreds of megabytes would show nothing more.
    const forgetful = bucketExcept('UploadPartCommand', () => Promise.resolve({}));
    expect(await run(undefined, { bucket: forgetful })).toMatchObject({
      type: 'failed',
      message: expect.stringMatching(/larger than/),
    });
    expect([bucket.keys(), bucket.uploadsInProgress()]).toEqual([[], 0]);
  });

  test.each<[string, (clip: Buffer) => RequestListener]>([
    ['an endless file', clip => (_, response) => endless(response, clip)],
    ['a decompression bomb', clip => bomb(Buffer.concat([clip, Buffer.alloc(24 * MIB)]))],
  ])('stops %s without a declared size early', async (_, listener) => {
    answer = listener(mp4);
    expect(await run(undefined, { maxUnknownSizeBytes: 20 * MIB })).toMatchObject({
      type: 'failed',
      message: 'The file is larger than 20971520 bytes, and its host does not declare its size',
    });
    expect([bucket.keys(), bucket.uploadsInProgress()]).toEqual([[], 0]);
  });

  test('refuses a range that continues beyond the end of the file', async () => {
    answer = (request, response) => {
      if (request.headers.range === undefined) {
        serve(large, { cutAfter: CUT })(request, response);
        return;
      }
      const from = Number(/\d+/.exec(request.headers.range)![0]);
      const headers = { etag: '"v1"', 'content-range': `bytes ${from}-${large.length - 1}/${large.length}` };
      response.writeHead(206, headers).end(Buffer.concat([large.subarray(from), Buffer.alloc(MIB)]));
    };
    expect(await run()).toMatchObject({ type: 'failed', message: expect.stringMatching(/continued beyond/) });
    expect([bucket.keys(), bucket.uploadsInProgress()]).toEqual([[], 0]);
  });

  test('gives up a host that sends too slowly after a few runs and leaves nothing', async () => {
    answer = (request, response) => trickle(request, response, large, 200);
    let result: TransferResult = { type: 'more', transfer: newTransfer(`${origin.url}/file`), message: '' };
    let runs = 0;
    for (; result.type === 'more'; runs += 1) {
      const ends = performance.now() + 3500;
      result = await run(result.transfer, { remainingMs: () => ends - performance.now() });
    }
    expect([runs, result]).toMatchObject([
      3,
      { type: 'failed', message: expect.stringMatching(/could not be downloaded/) },
    ]);
    expect([bucket.keys(), bucket.uploadsInProgress()]).toEqual([[], 0]);
  });

  test('gives up a host that makes no progress', async () => {
    answer = serve(large, { cutAfter: 1000 });
    expect(await run()).toMatchObject({
      type: 'failed',
      message: expect.stringMatching(/could not be downloaded/),
    });
    expect([bucket.keys(), bucket.uploadsInProgress(), ranges.length]).toEqual([[], 0, 3]);
  });
});

describe('the transfer from a Google Drive link', () => {
  const ID = '1aBcD_efGHijKLmnOPqrSTuv';
  /** Sends requests for Drive's hosts to the test's origin. */
  const drive: Pick<HttpClient, 'open'> = {
    open: request => {
      const { pathname, search } = new URL(request.url);
      return http.open({ ...request, url: `${origin.url}${pathname}${search}` });
    },
  };

  test('answers the virus scan warning of a large file', async () => {
    answer = (request, response) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      if (url.searchParams.get('uuid') === 'u1') {
        serve(jpg)(request, response);
        return;
      }
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(`<html><form id="download-form" action="https://drive.usercontent.google.com/download">
        <input type="hidden" name="id" value="${url.searchParams.get('id') ?? ''}">
        <input type="hidden" name="confirm" value="t"><input type="hidden" name="uuid" value="u1"></form></html>`);
    };
    const result = await run(newTransfer(`https://drive.google.com/file/d/${ID}/view?usp=sharing`), {
      http: drive,
    });
    expect((await stored(result)).equals(jpg)).toBe(true);
  });

  // B023
  test.each([
    [
      'to sign in',
      '<title>Google Drive</title><a href="https://accounts.google.com/x">Sign in</a>',
      /not shared/,
    ],
    [
      'of too many downloads',
      '<p>Sorry, too many users have viewed or downloaded this file</p>',
      /too many people/,
    ],
    ['of an unknown kind', '<p>Hello</p>', /web page instead of the file/],
  ])('reports a page %s and never stores it as the file', async (_, page, words) => {
    answer = (_request, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(`<!doctype html>${page}`);
    const link = `https://drive.google.com/file/d/${ID}/view?usp=sharing`;
    expect(await run(newTransfer(link), { http: drive })).toMatchObject({
      type: 'failed',
      message: expect.stringMatching(words),
    });
    expect([bucket.keys(), bucket.uploadsInProgress()]).toEqual([[], 0]);
  });

  test('stops following warnings that never end', async () => {
    let pages = 0;
    answer = (_, response) => {
      pages += 1;
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<form action="https://drive.usercontent.google.com/download"></form>');
    };
    expect(await run(newTransfer(`https://drive.google.com/uc?id=${ID}`), { http: drive })).toMatchObject({
      type: 'failed',
      message: expect.stringMatching(/page/),
    });
    expect(pages).toBeLessThanOrEqual(3);
  });
});

/** Sends `perSecond` bytes a second. */
function trickle(request: IncomingMessage, response: ServerResponse, bytes: Buffer, perSecond: number): void {
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  response.writeHead(start > 0 ? 206 : 200, {
    'content-length': bytes.length - start,
    ...(start > 0 && { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` }),
  });
  let at = start;
  const timer = setInterval(() => {
    response.write(bytes.subarray(at, at + perSecond / 10));
    at += perSecond / 10;
    if (at >= bytes.length) response.end();
  }, 100);
  response.once('close', () => clearInterval(timer));
}

function endless(response: ServerResponse, head: Buffer): void {
  response.writeHead(200);
  response.write(head);
  const block = Buffer.alloc(MIB);
  const more = () => {
    while (!response.destroyed && response.write(block));
  };
  response.on('drain', more);
  more();
}

function bomb(bytes: Buffer): RequestListener {
  const compressed = gzipSync(bytes);
  return (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(compressed);
}
