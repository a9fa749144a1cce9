import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestBucket, type TestBucket } from '../../test/support/bucket.ts';
import {
  deleteObject,
  headObject,
  keyOfUrl,
  openObject,
  publicUrlOf,
  putObject,
  readObject,
} from '../../shared/store/objects.ts';

const DAY = 86_400_000;
const MIB = 1024 ** 2;

let bucket: TestBucket;
let now = Date.now();
beforeAll(async () => {
  bucket = await createTestBucket(() => now);
});
afterAll(() => bucket.close());
beforeEach(async () => {
  now = Date.now();
  for (const key of bucket.keys()) await deleteObject(bucket, key);
});

const Bucket = 'media';

describe('objects', () => {
  test('are read whole or in part', async () => {
    await putObject(bucket, 'public/media/a b+ü.txt', Buffer.from('0123456789'), 'text/plain');
    expect(await headObject(bucket, 'public/media/a b+ü.txt')).toMatchObject({
      size: 10,
      type: 'text/plain',
    });
    const whole = await openObject(bucket, 'public/media/a b+ü.txt');
    expect(Buffer.concat(await whole!.toArray()).toString()).toBe('0123456789');
    const part = await readObject(bucket, 'public/media/a b+ü.txt', { start: 3, end: 6 });
    expect(part?.toString()).toBe('345');
  });

  test('end a range at the end of the object', async () => {
    await putObject(bucket, 'k', Buffer.from('0123'), 'text/plain');
    expect((await readObject(bucket, 'k', { start: 2, end: 100 }))?.toString()).toBe('23');
    expect(await readObject(bucket, 'k', { start: 4, end: 8 })).toHaveLength(0);
    await putObject(bucket, 'empty', Buffer.alloc(0), 'text/plain');
    expect(await readObject(bucket, 'empty', { start: 0, end: 8 })).toHaveLength(0);
  });

  test('accept a client with clock skew after its correction', async () => {
    const late = await createTestBucket(() => Date.now() + DAY);
    await putObject(late, 'one', Buffer.from('1'), 'text/plain');
    await putObject(late, 'two', Buffer.from('2'), 'text/plain');
    expect(late.keys()).toEqual(['one', 'two']);
    await late.close();
  });

  test('return null and can be deleted if they do not exist', async () => {
    expect(await headObject(bucket, 'nothing')).toBeNull();
    expect(await openObject(bucket, 'nothing')).toBeNull();
    await expect(deleteObject(bucket, 'nothing')).resolves.toBeUndefined();
  });

  test('are copied only if CopySourceIfMatch holds', async () => {
    await putObject(bucket, 'from', Buffer.from('one'), 'image/png');
    const seen = await headObject(bucket, 'from');
    await putObject(bucket, 'from', Buffer.from('two'), 'image/png');
    const copy = new CopyObjectCommand({
      Bucket,
      Key: 'to',
      CopySource: 'media/from',
      CopySourceIfMatch: seen!.etag,
    });
    await expect(bucket.client.send(copy)).rejects.toMatchObject({ name: 'PreconditionFailed' });
    expect(bucket.keys()).toEqual(['from']);
  });

  test('are listed by prefix in pages', async () => {
    for (const key of ['a/1', 'a/2', 'a/3', 'b/1']) await putObject(bucket, key, Buffer.from(key), 'x/y');
    const first = await bucket.client.send(new ListObjectsV2Command({ Bucket, Prefix: 'a/', MaxKeys: 2 }));
    expect(first.Contents?.map(({ Key }) => Key)).toEqual(['a/1', 'a/2']);
    const next = { Bucket, Prefix: 'a/', ContinuationToken: first.NextContinuationToken };
    const second = await bucket.client.send(new ListObjectsV2Command(next));
    expect(second.Contents?.map(({ Key }) => Key)).toEqual(['a/3']);
  });
});

describe('multipart uploads', () => {
  const begin = async (Key: string) =>
    (await bucket.client.send(new CreateMultipartUploadCommand({ Bucket, Key, ContentType: 'video/mp4' })))
      .UploadId;

  test('concatenate their parts in order', async () => {
    const UploadId = await begin('big');
    const upload = { Bucket, Key: 'big', UploadId };
    const second = await bucket.client.send(
      new UploadPartCommand({ ...upload, PartNumber: 2, Body: Buffer.from('end') }),
    );
    await putObject(bucket, 'source', Buffer.alloc(6 * MIB, 'x'), 'video/mp4');
    const first = await bucket.client.send(
      new UploadPartCopyCommand({
        ...upload,
        PartNumber: 1,
        CopySource: 'media/source',
        CopySourceRange: `bytes=0-${5 * MIB - 1}`,
      }),
    );
    const { Parts } = await bucket.client.send(new ListPartsCommand(upload));
    expect(Parts?.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([
      [1, 5 * MIB],
      [2, 3],
    ]);
    expect(await headObject(bucket, 'big')).toBeNull();
    const named = [
      { PartNumber: 1, ETag: first.CopyPartResult!.ETag },
      { PartNumber: 2, ETag: second.ETag },
    ];
    await bucket.client.send(
      new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: named } }),
    );
    expect(await headObject(bucket, 'big')).toMatchObject({ size: 5 * MIB + 3, type: 'video/mp4' });
    const seam = await readObject(bucket, 'big', { start: 5 * MIB - 1, end: 5 * MIB + 2 });
    expect(seam?.toString()).toBe('xen');
    await expect(bucket.client.send(new ListPartsCommand(upload))).rejects.toMatchObject({
      name: 'NoSuchUpload',
    });
  });

  test('refuse a part below 5 MiB except the last', async () => {
    const upload = { Bucket, Key: 'small', UploadId: await begin('small') };
    const Parts = [];
    for (const PartNumber of [1, 2]) {
      const part = new UploadPartCommand({ ...upload, PartNumber, Body: Buffer.from('tiny') });
      Parts.push({ PartNumber, ETag: (await bucket.client.send(part)).ETag });
    }
    const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
    await expect(bucket.client.send(complete)).rejects.toMatchObject({ name: 'EntityTooSmall' });
  });

  test('are aborted after a day if they are not completed', async () => {
    await begin('forgotten');
    expect(bucket.uploadsInProgress()).toBeGreaterThan(0);
    now += DAY + 1000;
    await bucket.s3.applyLifecycle();
    expect(bucket.uploadsInProgress()).toBe(0);
  });
});

describe('presigned URLs', () => {
  const sign = (seconds = 60) =>
    getSignedUrl(
      bucket.client,
      new PutObjectCommand({ Bucket, Key: 'pending/x', ContentType: 'image/png' }),
      {
        expiresIn: seconds,
        signableHeaders: new Set(['content-type']),
      },
    );
  const put = (url: string, type: string | null, body = 'bytes') =>
    fetch(url, {
      method: 'PUT',
      body: Buffer.from(body),
      headers: type === null ? {} : { 'content-type': type },
    });

  test('accept the signed request', async () => {
    expect((await put(await sign(), 'image/png')).status).toBe(200);
    expect(await headObject(bucket, 'pending/x')).toMatchObject({ size: 5, type: 'image/png' });
  });

  test.each([
    ['another type', (url: string) => put(url, 'image/jpeg')],
    ['no type', (url: string) => put(url, null)],
    ['a forged signature', (url: string) => put(url.replace(/Signature=./, 'Signature=_'), 'image/png')],
    ['another key', (url: string) => put(url.replace('pending/x', 'pending/y'), 'image/png')],
    ['another method', (url: string) => fetch(url, { headers: { 'content-type': 'image/png' } })],
  ])('refuse %s', async (_, attempt) => {
    const answer = await attempt(await sign());
    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.stringContaining('SignatureDoesNotMatch'),
    ]);
    expect(bucket.keys()).toEqual([]);
  });

  test('refuse a request after they expire', async () => {
    const url = await sign(60);
    now = Date.now() + 61_000;
    const answer = await put(url, 'image/png');
    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.stringContaining('Request has expired'),
    ]);
  });

  test('allow the signed method to browsers of any origin', async () => {
    const preflight = (method: string) =>
      fetch(`${new URL(bucket.publicUrl).origin}/media/pending/x`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://app.example.com',
          'access-control-request-method': method,
          'access-control-request-headers': 'content-type',
        },
      });
    const allowed = await preflight('PUT');
    expect([allowed.status, allowed.headers.get('access-control-allow-headers')]).toEqual([
      200,
      'content-type',
    ]);
    expect((await preflight('DELETE')).status).toBe(403);
  });

  test('are required to read an object', async () => {
    await putObject(bucket, 'public/media/x', Buffer.from('x'), 'image/png');
    const bare = `${new URL(bucket.publicUrl).origin}/media/public/media/x`;
    expect((await fetch(bare)).status).toBe(403);
    const read = await getSignedUrl(bucket.client, new GetObjectCommand({ Bucket, Key: 'public/media/x' }));
    expect((await fetch(read)).status).toBe(200);
  });
});

describe('the CloudFront stand-in', () => {
  test('serves public objects with ranges', async () => {
    await putObject(bucket, 'public/media/x.mp4', Buffer.from('0123456789'), 'video/mp4');
    const url = publicUrlOf(bucket, 'public/media/x.mp4');
    expect(keyOfUrl(bucket, url)).toBe('public/media/x.mp4');
    const whole = await fetch(url);
    expect([whole.status, whole.headers.get('content-type'), await whole.text()]).toEqual([
      200,
      'video/mp4',
      '0123456789',
    ]);
    const part = await fetch(url, { headers: { range: 'bytes=2-4' } });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 2-4/10',
      '234',
    ]);
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '10']);
  });

  test('does not reveal other keys', async () => {
    await putObject(bucket, 'pending/x', Buffer.from('x'), 'text/html');
    for (const path of ['/media/nothing', '/..%2fpending/x', '/%2e%2e%2fpending/x', '/%ff']) {
      expect((await fetch(bucket.publicUrl + path)).status).toBe(403);
    }
    expect((await fetch(`${bucket.publicUrl}/media/x`, { method: 'DELETE' })).status).toBe(403);
  });
});

test('lifecycle rules delete expired objects only', async () => {
  const keys = ['pending/x', 'public/media/x', 'public/derived/x', 'public/copies/x'];
  for (const key of keys) await putObject(bucket, key, Buffer.from('x'), 'image/png');
  const left = async (days: number) => {
    now += days * DAY;
    await bucket.s3.applyLifecycle();
    return bucket.keys();
  };
  expect(await left(0.9)).toHaveLength(4);
  expect(await left(0.2)).toEqual(['public/copies/x', 'public/derived/x', 'public/media/x']);
  expect(await left(30)).toEqual(['public/copies/x', 'public/media/x']);
  expect(await left(400)).toEqual(['public/media/x']);
});
