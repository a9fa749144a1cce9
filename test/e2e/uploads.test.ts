import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../local/aws/free-port.ts';
import { FILE_OF_FORMAT, type MediaFormat } from '../../shared/model/media.ts';
import { closeStack, create, eventually, finalPost, liveWith, media } from '../support/e2e.ts';
import { filesOfFormats } from '../support/formats.ts';
import { testOrigin, type TestOrigin } from '../support/origin.ts';
import { startStack, type Json, type TestStack } from '../support/stack.ts';

/** Uploads through the whole stack, including a restart after SIGKILL. */

const MIB = 1024 ** 2;
const HOUR_S = 3600;
const TEST_MS = 600_000;
const FORMATS = Object.keys(FILE_OF_FORMAT) as MediaFormat[];

const data = mkdtempSync(join(tmpdir(), 'uploads-'));
let stack: TestStack;
let files: Readonly<Record<MediaFormat, Buffer>>;
let origin: TestOrigin;
let respond: RequestListener = (_, response) => void response.writeHead(404).end();
let args: string[];

beforeAll(async () => {
  args = ['--port', String(await freePort())];
  [stack, files, origin] = await Promise.all([
    startStack({ data, args }),
    filesOfFormats(),
    testOrigin((request, response) => respond(request, response)),
  ]);
});
afterAll(async () => {
  await closeStack(stack);
  await origin.close();
  rmSync(data, { recursive: true, force: true });
});

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const bytesAt = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

function form(bytes: Uint8Array, name: string): FormData {
  const fields = new FormData();
  fields.set('profile_name', 'Demo');
  fields.set('file', new File([Uint8Array.from(bytes)], name));
  return fields;
}

const post = <T = Json>(path: string, body: unknown, headers = {}) =>
  stack.api<T>('POST', path, body, headers);
const respondWith =
  (bytes: Buffer): RequestListener =>
  (_, response) =>
    void response.writeHead(200, { 'content-length': bytes.length }).end(bytes);

async function presigned(bytes: Buffer, file_type = 'image/png'): Promise<Json> {
  const { body } = await post('/upload-media/presign', {
    profile_name: 'Demo',
    file_name: 'a.png',
    file_type,
  });
  const put = await fetch(body.presigned_url, {
    method: 'PUT',
    body: Uint8Array.from(bytes),
    headers: body.headers,
  });
  expect(put.status).toBe(200);
  return body;
}

const ready = (upload_id: string): Promise<Json> =>
  eventually('the upload is ready', 300_000, async () => {
    const { body } = await stack.api('GET', `/upload-media/${upload_id}`);
    return body.status === 'ready' ? body : null;
  });

describe('media', () => {
  test.each(FORMATS)('in %s are stored byte for byte from form to CDN', async format => {
    const { status, body } = await post('/upload-media', form(files[format], `ein Bild – ${format}.dat`));
    expect([status, body.file_type]).toEqual([201, FILE_OF_FORMAT[format].type]);
    expect(body.file_name).toBe(`ein Bild – ${format}.dat`);
    expect(sha256(await bytesAt(body.public_url))).toBe(sha256(files[format]));
  });

  test('are served with ranges, their type, and headers that block scripts', async () => {
    const { body } = await post('/upload-media', form(files.MP4, 'clip.mp4'));
    const part = await fetch(body.public_url, { headers: { range: 'bytes=4-7' } });
    expect([part.status, await part.text()]).toEqual([206, 'ftyp']);
    expect(Object.fromEntries(part.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
    });
  });

  test.each([4 * MIB + 1, 5 * MIB])(
    'of %i bytes are too large for a form: the 413 names the presign endpoint',
    async size => {
      const { status, body } = await post('/upload-media', form(Buffer.alloc(size), 'a.png'));
      expect([status, body]).toMatchObject([
        413,
        {
          error: expect.any(String),
          max_bytes: 4 * MIB,
          presign_endpoint: expect.stringContaining('/v1/upload-media/presign'),
        },
      ]);
    },
  );

  test('in a form are stored once for an idempotency key, whatever the boundary', async () => {
    const key = { 'idempotency-key': 'upload-1' };
    const first = await post('/upload-media', form(files.PNG, 'a.png'), key);
    const again = await post('/upload-media', form(files.PNG, 'a.png'), key);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await post('/upload-media', form(files.JPG, 'a.png'), key)).status).toBe(422);
  });

  test.each([
    ['application/octet-stream', 415],
    ['multipart/form-data', 400],
  ])('in a body of type %s are refused with %i', async (type, status) => {
    expect((await post('/upload-media', 'not a form', { 'content-type': type })).status).toBe(status);
  });
});

describe('an import', () => {
  test(
    'of a large file continues in the background',
    async () => {
      const url = `${media(stack, 'clip.mp4')}?bytes=${70 * MIB}`;
      const { status, body } = await post('/upload-media', { profile_name: 'Demo', url });
      expect([status, body.status]).toEqual([202, 'processing']);
      const done = await ready(body.upload_id);
      expect(done).toMatchObject({ size: 70 * MIB, public_url: body.public_url });
      expect(sha256(await bytesAt(done.public_url))).toBe(sha256(await bytesAt(url)));
    },
    TEST_MS,
  );

  test.each([
    ['page.html', /web page/],
    ['photo.jpg?bytes=2000', /damaged|breaks off/],
    ['photo.jpg?status=404', /404/],
    ['photo.jpg?redirect=http://169.254.169.254/x', /not public/],
    ['photo.jpg?redirect=9', /redirects/],
  ])('of %s is refused', async (name, message) => {
    const { status, body } = await post('/upload-media', { profile_name: 'Demo', url: media(stack, name) });
    expect([status, body.details]).toEqual([
      400,
      [{ field: 'url', platform: null, message: expect.stringMatching(message) }],
    ]);
  });

  test.each(['photo.jpg?range=off&length=off', 'photo.png?type=text/plain', 'photo.jpg?redirect=3'])(
    'of %s is accepted',
    async name => {
      expect((await post('/upload-media', { profile_name: 'Demo', url: media(stack, name) })).status).toBe(
        201,
      );
    },
  );
});

describe('a scheduled post', () => {
  test(
    'is published with its files after their URL and asset are gone and the stack was killed',
    async () => {
      respond = respondWith(files.JPG);
      const own = await presigned(files.PNG);
      await post('/upload-media/confirm', { upload_id: own.upload_id });
      const profile = (await stack.api('GET', '/agency/profiles')).body.profiles[0];
      const asset = await post('/agency/media', {
        title: 'A',
        profile_id: profile.id,
        public_url: own.public_url,
      });
      const soon = new Date((await stack.now()) + 2 * HOUR_S * 1000).toISOString();
      const scheduled = { post_type: 'image', platforms: ['x'], scheduled_date: soon };
      const urls = [`${origin.url}/a.jpg`, own.public_url];
      const id = await create(stack, {
        ...scheduled,
        description: 'External and uploaded',
        media_urls: urls,
      });
      const seen = await stack.until(
        'the file was fetched',
        async () => (await importerCalls('PutObject')) > 0,
      );
      expect(seen).toBe(true);

      respond = (_, response) => void response.writeHead(403).end();
      await stack.api('DELETE', `/agency/media/${asset.body.media[0].id}`);
      await stack.close('SIGKILL');
      stack = await startStack({ data, args });
      expect(sha256(await bytesAt(own.public_url))).toBe(sha256(files.PNG));
      await stack.advance(2 * HOUR_S + 5);

      const done = await finalPost(stack, id);
      expect([done.status, done.media_urls]).toEqual(['published', urls]);
      const [live] = await liveWith(stack, 'External and uploaded');
      expect(live?.media.map(each => each.sha256)).toEqual([files.JPG, files.PNG].map(sha256));
    },
    TEST_MS * 2,
  );
});

test('an upload that is not confirmed within a day expires', async () => {
  const { upload_id } = await presigned(files.PNG);
  await stack.advance(25 * HOUR_S);
  expect((await post('/upload-media/confirm', { upload_id })).status).toBe(404);
  const again = await presigned(files.PNG);
  expect((await post('/upload-media/confirm', { upload_id: again.upload_id })).status).toBe(200);
});

/** Returns how often the importer has called this S3 operation. */
async function importerCalls(operation: string): Promise<number> {
  const { body } = await stack.local('GET', '/_local/calls');
  const rows: Json[] = body.calls.filter(
    (row: Json) => row.operation === operation && /importer/.test(row.function),
  );
  return rows.reduce((sum, row) => sum + Number(row.count), 0);
}
