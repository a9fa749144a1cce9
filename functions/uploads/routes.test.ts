import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FILE_OF_FORMAT, type MediaFormat } from '../../shared/model/media.ts';
import { setPlan } from '../../shared/store/workspaces.ts';
import type { TestBucket } from '../../test/support/bucket.ts';
import { testOrigin, type TestOrigin } from '../../test/support/origin.ts';
import { filesOfFormats } from '../../test/support/formats.ts';
import { testWith } from '../../test/support/tools.ts';
import {
  firstErrorMessage,
  fetched,
  formFile,
  putTo,
  uploadWorld,
  type UploadWorld,
} from '../../test/support/upload-world.ts';

const FORMATS = Object.keys(FILE_OF_FORMAT) as MediaFormat[];
const HOUR = 3_600_000;
const MIB = 1024 ** 2;

let uploads: UploadWorld;
let world: UploadWorld['world'];
let bucket: TestBucket;
let files: Readonly<Record<MediaFormat, Buffer>>;
/** The origin's response; set by each test. */
let answer: RequestListener;
let origin: TestOrigin;
const allowed = process.env['ALLOW_LOOPBACK'];

beforeAll(async () => {
  process.env['ALLOW_LOOPBACK'] = '1';
  files = await filesOfFormats();
  origin = await testOrigin((request, response) => answer(request, response));
});
afterAll(async () => {
  if (allowed === undefined) delete process.env['ALLOW_LOOPBACK'];
  else process.env['ALLOW_LOOPBACK'] = allowed;
  await origin.close();
});
beforeEach(async () => {
  uploads = await uploadWorld();
  ({ world, bucket } = uploads);
});
afterEach(() => uploads.close());

type Calls = UploadWorld;
const upload: Calls['upload'] = (...given) => uploads.upload(...given);
const presign: Calls['presign'] = (...given) => uploads.presign(...given);
const confirm: Calls['confirm'] = (...given) => uploads.confirm(...given);
const read: Calls['read'] = (...given) => uploads.read(...given);

describe('POST /upload-media with a file', () => {
  test.each(FORMATS)('stores a %s unchanged and serves it with its own type', async format => {
    const { status, body } = await upload({ file: formFile(files[format], 'name.bin') });
    expect([status, body]).toEqual([
      201,
      {
        upload_id: expect.any(String),
        public_url: expect.stringMatching(
          new RegExp(`/media/[\\w-]{32}\\.${FILE_OF_FORMAT[format].extension}$`),
        ),
        file_name: 'name.bin',
        file_type: FILE_OF_FORMAT[format].type,
        size: files[format].length,
        status: 'ready',
        error: null,
        created_at: '2026-12-01T10:00:00.000Z',
      },
    ]);
    const shown = await fetch(body.public_url);
    expect(shown.headers.get('content-type')).toBe(FILE_OF_FORMAT[format].type);
    expect(files[format].equals(Buffer.from(await shown.arrayBuffer()))).toBe(true);
    expect((await read(body.upload_id)).body).toEqual(body);
  });

  test.each([
    ['an empty file', Buffer.alloc(0), /empty/],
    ['a text with the name of an image', Buffer.from('hello, I am no picture at all'), /not recognized/],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'), /SVG/],
    ['a web page', Buffer.from('<!DOCTYPE html><html></html>'), /web page/],
    ['a HEIC', Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), Buffer.alloc(64)]), /HEIC/],
  ])('refuses %s and stores nothing', async (_, bytes, words) => {
    const refused = await upload({ file: formFile(bytes, 'photo.png') });
    expect([refused.status, firstErrorMessage(refused)]).toEqual([400, expect.stringMatching(words)]);
    expect(bucket.keys()).toEqual([]);
  });

  test.each(['JPG', 'PNG', 'WebP', 'MP4', 'WebM', 'PDF'] as const)('refuses half a %s', async format => {
    const half = files[format].subarray(0, files[format].length / 2);
    expect((await upload({ file: formFile(half) })).status).toBe(400);
    expect(bucket.keys()).toEqual([]);
  });

  test('accepts 4 MiB, and refers to presigned URLs above', async () => {
    const filled = (size: number) => Buffer.concat([files.JPG, Buffer.alloc(size - files.JPG.length)]);
    expect((await upload({ file: formFile(filled(4 * MIB)) })).status).toBe(201);
    const { status, body } = await upload({ file: formFile(filled(4 * MIB + 1)) });
    expect([status, body]).toEqual([
      413,
      {
        error: expect.any(String),
        code: 'BODY_TOO_LARGE',
        max_bytes: 4 * MIB,
        presign_endpoint: 'https://api.example.com/v1/upload-media/presign',
      },
    ]);
  });

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\Bild 1.png', 'Bild 1.png'],
    ['фото 写真 📷.png', 'фото 写真 📷.png'],
    ['evil\u202Egnp.exe\0', 'evilgnp.exe'],
    ['..', 'file'],
    ['', 'file'],
    ['x'.repeat(400), 'x'.repeat(255)],
  ])('cleans the file name %j', async (name, kept) => {
    const { body } = await upload({ file: formFile(files.PNG, name) });
    expect(body.file_name).toBe(kept);
    expect(body.public_url).not.toContain('passwd');
  });

  test('is refused with every error of the request', async () => {
    const { body } = await upload({ profile_name: '' });
    expect(body.details.map((each: { field: string }) => each.field)).toEqual(['profile_name', 'file']);
  });

  test('takes an empty input of a form in a browser for none', async () => {
    const empty = formFile(Buffer.alloc(0), '');
    expect((await upload({ file: formFile(files.PNG), url: '' })).status).toBe(201);
    const { status, body } = await upload({ file: empty, url: '' });
    expect([status, body.details.map((each: { field: string }) => each.field)]).toEqual([400, ['file']]);
    const refused = await upload({ file: empty, url: 'no url' });
    expect(refused.body.details.map((each: { field: string }) => each.field)).toEqual(['url']);
  });

  test('requires a profile of the workspace and exactly one file', async () => {
    expect((await upload({ profile_name: 'Nobody', file: formFile(files.PNG) })).status).toBe(404);
    expect((await upload({})).status).toBe(400);
    expect((await upload({ file: formFile(files.PNG), url: 'https://example.com/a.png' })).status).toBe(400);
    expect((await upload({ file: 'a text' })).status).toBe(400);
    expect(bucket.keys()).toEqual([]);
  });
});

describe('POST /upload-media with a URL', () => {
  const give =
    (bytes: Buffer, headers: Record<string, string> = {}): RequestListener =>
    (_, response) =>
      void response.writeHead(200, { 'content-length': bytes.length, ...headers }).end(bytes);

  test('imports a small file within the request, whatever its declared type', async () => {
    answer = give(files.PNG, { 'content-type': 'application/octet-stream' });
    const { status, body } = await upload({ url: `${origin.url}/media/8471` });
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        status: 'ready',
        file_type: 'image/png',
        file_name: '8471',
        size: files.PNG.length,
      }),
    ]);
    expect(body.public_url).toMatch(/\.png$/);
    expect((await fetched(body.public_url)).equals(files.PNG)).toBe(true);
    expect(world.takeMessages()).toEqual([]);
  });

  test('leaves a large file to the importer and reports when it is ready', async () => {
    const large = Buffer.concat([files.JPG, Buffer.alloc(40 * MIB, 7)]);
    answer = give(large);
    const { status, body } = await upload({ url: `${origin.url}/large.jpg` });
    expect([status, body]).toMatchObject([202, { status: 'processing', size: large.length }]);
    expect((await fetch(body.public_url)).status).toBe(403);
    await uploads.work();
    expect((await read(body.upload_id)).body).toEqual({ ...body, status: 'ready' });
    expect((await fetched(body.public_url)).equals(large)).toBe(true);
    expect(bucket.operations).toContain('CompleteMultipartUpload');
  });

  test.each<[string, RequestListener, RegExp]>([
    [
      'a web page',
      (_, r) => void r.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>'),
      /web page/,
    ],
    ['an empty file', (_, r) => void r.writeHead(200).end(), /empty/],
    ['404', (_, r) => void r.writeHead(404).end('not here'), /answered 404/],
    ['403', (_, r) => void r.writeHead(403).end(), /answered 403/],
    ['503 repeatedly', (_, r) => void r.writeHead(503).end(), /answered 503/],
    [
      'a redirect to a private address',
      (_, r) => void r.writeHead(302, { location: 'http://10.0.0.1/x' }).end(),
      /not public/,
    ],
    [
      'a redirect to the metadata service',
      (_, r) => void r.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      /not public/,
    ],
    ['a redirect loop', (_, r) => void r.writeHead(302, { location: '/' }).end(), /redirects more than/],
    ['a closed connection', request => void request.socket.destroy(), /could not be downloaded/],
    [
      'less than it declares',
      (_, r) => {
        r.writeHead(200, { 'content-length': 6 * 1024 ** 3 });
        r.write(Buffer.from('89504e470d0a1a0a', 'hex'), () => r.destroy());
      },
      /could not be downloaded/,
    ],
    [
      'a PDF with a script',
      (_, r) => void r.writeHead(200).end('%PDF-1.4\n1 0 obj<</S/JavaScript/JS(x)>>\n%%EOF'),
      /script/,
    ],
  ])('refuses %s and stores nothing', async (_, listener, words) => {
    answer = listener;
    const refused = await upload({ url: `${origin.url}/` });
    expect([refused.status, refused.body]).toEqual([
      400,
      {
        error: 'Validation failed',
        details: [{ field: 'url', message: expect.stringMatching(words), platform: null }],
      },
    ]);
    expect([bucket.keys(), bucket.uploadsInProgress()]).toEqual([[], 0]);
  });

  test.each([
    ['http://169.254.169.254/latest/meta-data/', /not public/],
    ['http://[::ffff:10.0.0.1]/', /not public/],
    ['ftp://example.com/x', /http/],
    ['https://me:secret@example.com/x', /user name or password/],
    ['file:///etc/passwd', /http/],
    ['nonsense', /http/],
  ])('refuses %s without a request', async (url, words) => {
    const refused = await upload({ url });
    expect([refused.status, firstErrorMessage(refused)]).toEqual([400, expect.stringMatching(words)]);
  });

  test('accepts a signed URL of eight thousand characters', async () => {
    answer = give(files.PNG);
    expect((await upload({ url: `${origin.url}/a.png?token=${'a'.repeat(8000)}` })).status).toBe(201);
  });

  test('continues the upload of an earlier run of the same request', async () => {
    answer = give(files.PNG);
    const id = '0197c2f0-5b7a-7c3e-9d7b-0b6f2c1a4e55';
    const again = () =>
      world.call('POST /upload-media', {
        body: { profile_name: 'Acme', url: `${origin.url}/a.png` },
        newResourceId: () => id,
      });
    const first = await again();
    expect((await again()).body).toEqual(first.body);
    expect(bucket.keys()).toHaveLength(1);
  });

  test('that outlives its lease leaves the file to the worker that finished the import', async () => {
    answer = give(files.PNG);
    const upload_id = '0197c2f0-5b7a-7c3e-9d7b-0b6f2c1a4e56';
    const { client } = bucket;
    const send = async (command: { constructor: { name: string } }) => {
      const sent = await client.send(command as never);
      if (command.constructor.name !== 'PutObjectCommand') return sent;
      Object.assign(world.services, { bucket });
      world.clock.now += HOUR / 10;
      await uploads.continueImport(upload_id);
      return sent;
    };
    const slow = { ...bucket, client: Object.assign(Object.create(client), { send }) };
    Object.assign(world.services, { bucket: slow });
    await world.call('POST /upload-media', {
      body: { profile_name: 'Acme', url: `${origin.url}/a.png` },
      newResourceId: () => upload_id,
    });
    const { body } = await read(upload_id);
    expect(body.status).toBe('ready');
    expect((await fetched(body.public_url)).equals(files.PNG)).toBe(true);
  });
});

describe('a direct upload', () => {
  test('is served under its announced URL after its confirmation', async () => {
    const { status, body } = await presign();
    expect([status, body]).toEqual([
      200,
      {
        upload_id: expect.any(String),
        presigned_url: expect.stringContaining('X-Amz-SignedHeaders=content-type%3Bhost'),
        public_url: expect.stringMatching(/\/media\/[\w-]{32}\.png$/),
        headers: { 'Content-Type': 'image/png' },
        expires_at: '2026-12-01T11:00:00.000Z',
      },
    ]);
    expect(body.presigned_url).not.toMatch(/checksum/i);
    expect((await read(body.upload_id)).body).toMatchObject({
      status: 'pending',
      public_url: body.public_url,
    });
    expect((await putTo(body.presigned_url, files.PNG)).status).toBe(200);
    expect((await fetch(body.public_url)).status).toBe(403);
    const confirmed = await confirm(body.upload_id);
    expect([confirmed.status, confirmed.body]).toMatchObject([
      200,
      {
        upload_id: body.upload_id,
        public_url: body.public_url,
        file_name: 'photo.png',
        status: 'ready',
        size: files.PNG.length,
      },
    ]);
    expect((await fetched(body.public_url)).equals(files.PNG)).toBe(true);
    expect((await confirm(body.upload_id)).body).toEqual(confirmed.body);
  });

  testWith('curl')('works with plain curl', async () => {
    const { body } = await presign({ file_type: 'video/mp4', file_name: 'clip.mp4' });
    const folder = mkdtempSync(join(tmpdir(), 'curl-'));
    writeFileSync(join(folder, 'clip.mp4'), files.MP4);
    const curl = (type: string) =>
      runProgram('curl', [
        '-sS',
        '-o',
        '/dev/null',
        '-w',
        '%{http_code}',
        '-T',
        join(folder, 'clip.mp4'),
        '-H',
        `Content-Type: ${type}`,
        body.presigned_url,
      ]);
    expect([await curl('video/quicktime'), await curl('video/mp4')]).toEqual(['403', '200']);
    rmSync(folder, { recursive: true });
    expect((await confirm(body.upload_id)).status).toBe(200);
  });

  test('is found by its id in capital letters', async () => {
    const { body } = await presign();
    await putTo(body.presigned_url, files.PNG);
    expect((await confirm(body.upload_id.toUpperCase())).status).toBe(200);
  });

  test('is not confirmed before it was uploaded', async () => {
    const { body } = await presign();
    expect(await confirm(body.upload_id)).toMatchObject({ status: 409, body: { code: 'NOT_UPLOADED' } });
    world.clock.now += 2 * HOUR;
    expect(await confirm(body.upload_id)).toMatchObject({ status: 409, body: { code: 'UPLOAD_EXPIRED' } });
    world.clock.now += 22 * HOUR;
    expect((await confirm(body.upload_id)).status).toBe(404);
    expect((await read(body.upload_id)).status).toBe(404);
  });

  test.each([
    ['a file of another type', () => files.JPG, /is JPG, but PNG was announced/],
    ['a web page', () => Buffer.from('<!doctype html><script>alert(1)</script>'), /web page/],
    ['an empty file', () => Buffer.alloc(0), /empty/],
    ['a truncated file', () => files.PNG.subarray(0, 2000), /damaged/],
  ])('refuses and deletes %s, and accepts a valid one at the same URL', async (_, bytes, words) => {
    const { body } = await presign();
    await putTo(body.presigned_url, bytes());
    const refused = await confirm(body.upload_id);
    expect([refused.status, firstErrorMessage(refused)]).toEqual([400, expect.stringMatching(words)]);
    expect(bucket.keys()).toEqual([]);
    await putTo(body.presigned_url, files.PNG);
    expect((await confirm(body.upload_id)).status).toBe(200);
  });

  test('cannot be changed through its presigned URL after its confirmation', async () => {
    const { body } = await presign();
    await putTo(body.presigned_url, files.PNG);
    await confirm(body.upload_id);
    await putTo(body.presigned_url, Buffer.from('something else'));
    expect((await confirm(body.upload_id)).status).toBe(200);
    expect((await fetched(body.public_url)).equals(files.PNG)).toBe(true);
  });

  test('is published once by concurrent confirmations', async () => {
    const { body } = await presign();
    await putTo(body.presigned_url, files.PNG);
    const answers = await Promise.all(Array.from({ length: 6 }, () => confirm(body.upload_id)));
    expect(answers.every(({ status }) => [200, 202].includes(status))).toBe(true);
    expect((await read(body.upload_id)).body.status).toBe('ready');
    expect(bucket.keys()).toHaveLength(1);
  });

  test('above 5 GB has a URL for each part', async () => {
    const file_size = 5 * 1024 ** 3 + 1;
    const { body } = await presign({ file_type: 'video/mp4', file_size });
    expect(body).toMatchObject({
      upload_id: expect.any(String),
      public_url: expect.any(String),
      part_size: 64 * MIB,
    });
    expect(body.parts).toHaveLength(81);
    expect(new Set(body.parts.map((part: { part_number: number }) => part.part_number)).size).toBe(81);
    expect((await putTo(body.parts[80].presigned_url, Buffer.from('x'))).status).toBe(200);
    expect(await confirm(body.upload_id)).toMatchObject({ status: 409, body: { code: 'NOT_UPLOADED' } });
  });

  test('of the largest file has URLs that fit into a response', async () => {
    await setPlan(world.table, world.owner.workspace_id, 'enterprise');
    const { body } = await presign({ file_type: 'video/mp4', file_size: 256 * 1024 ** 3 });
    expect(body.parts.length).toBeLessThanOrEqual(1000);
    expect(JSON.stringify(body).length).toBeLessThan(2 * MIB);
  });

  test.each([
    [{ file_type: 'image/svg+xml' }, 'file_type'],
    [{ file_type: 'image/heic' }, 'file_type'],
    [{ file_type: 'image/png\r\nx: y' }, 'file_type'],
    [{ file_type: 'constructor' }, 'file_type'],
    [{ file_type: '__proto__' }, 'file_type'],
    [{ file_size: 0 }, 'file_size'],
    [{ file_size: 1024 ** 3 }, 'file_size'],
    [{ file_type: 'video/mp4', file_size: 257 * 1024 ** 3 }, 'file_size'],
    [{ file_name: '' }, 'file_name'],
    [{ file_type: '' }, 'file_type'],
    [{ file_type: 'image/heic', file_name: '', file_size: 0 }, 'file_name', 'file_type', 'file_size'],
    [{ file_name: '', file_size: 1024 ** 3 }, 'file_name', 'file_size'],
  ])('is refused with %j', async (change, ...fields) => {
    const { status, body } = await presign(change);
    expect([status, body.details.map((each: { field: string }) => each.field)]).toEqual([400, fields]);
    expect(bucket.uploadsInProgress()).toBe(0);
  });
});

describe('an upload of another workspace', () => {
  test('is answered with 404', async () => {
    const stranger = await world.stranger();
    const { body } = await presign();
    await putTo(body.presigned_url, files.PNG);
    expect((await confirm(body.upload_id, stranger)).status).toBe(404);
    expect((await read(body.upload_id, stranger)).status).toBe(404);
    expect((await presign({}, stranger)).status).toBe(404);
    expect((await confirm('nonsense')).status).toBe(404);
  });
});

describe('a crash', () => {
  test('during a confirmation is repaired by the importer', async () => {
    const { body } = await presign();
    await putTo(body.presigned_url, files.PNG);
    const failing = ['CopyObjectCommand', 'DeleteObjectCommand'];
    for (const name of failing) {
      const { body: next } = await presign();
      await putTo(next.presigned_url, files.PNG);
      const { client } = bucket;
      Object.assign(world.services, { bucket: { ...bucket, client: crashingAt(name, client) } });
      await expect(confirm(next.upload_id)).rejects.toThrow('crashed');
      Object.assign(world.services, { bucket });
      expect((await read(next.upload_id)).body.status).toBe('processing');
      world.clock.now += HOUR / 10;
      await uploads.continueImport(next.upload_id);
      expect((await read(next.upload_id)).body.status).toBe('ready');
      expect((await fetched(next.public_url)).equals(files.PNG)).toBe(true);
    }
  });

  test('between storing an object and its record leaves an import that is finished later', async () => {
    answer = (_, response) => void response.writeHead(200).end(files.PNG);
    const { table } = world.services;
    let puts = 0;
    const client = {
      send: (command: { constructor: { name: string } }) => {
        if (command.constructor.name === 'PutCommand' && (puts += 1) === 4) throw new Error('crashed');
        return table.client.send(command as never);
      },
    };
    Object.assign(world.services, { table: { ...table, client } });
    const { status, body } = await upload({ url: `${origin.url}/a.png` });
    Object.assign(world.services, { table });
    expect([status, bucket.keys().length]).toEqual([202, 1]);
    world.clock.now += HOUR / 10;
    await uploads.continueImport(body.upload_id);
    expect((await read(body.upload_id)).body).toMatchObject({ status: 'ready', size: files.PNG.length });
    expect(bucket.keys()).toHaveLength(1);
  });
});

function crashingAt(name: string, client: TestBucket['client']): TestBucket['client'] {
  return new Proxy(client, {
    get: (target, property) =>
      property === 'send'
        ? (command: { constructor: { name: string } }) => {
            if (command.constructor.name === name) throw new Error('crashed');
            return target.send(command as never);
          }
        : Reflect.get(target, property),
  });
}

/** Runs a program asynchronously, because this process must answer it. */
async function runProgram(program: string, args: string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await new Promise(resolve => child.once('close', resolve));
  return text;
}
