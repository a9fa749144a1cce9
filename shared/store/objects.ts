import type { S3Client } from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';
import type { Loadable } from '../aws/clients.ts';

const sdk = () => import('../aws/sdk/s3.ts');

/** The media bucket: the first argument of every function here, as the table is in the other modules. */
export interface Bucket {
  client: Loadable<S3Client>;
  name: string;
  /** Base URL under which `public/` is served. */
  publicUrl: string;
}

/** Objects that anybody may fetch who knows the key. */
export const PUBLIC = 'public/';
/** Confirmed uploads: kept. */
export const MEDIA = `${PUBLIC}media/`;
/** Copies of the media of waiting posts: removed with their post. */
export const COPIES = `${PUBLIC}copies/`;
/** Images converted for a platform: content-addressed, expire after 30 days. */
export const DERIVED = `${PUBLIC}derived/`;
/** Unconfirmed uploads: expire after a day, never served. */
export const PENDING = 'pending/';

export interface ObjectHead {
  /** Bytes. */
  size: number;
  type: string;
  /** In quotes, as S3 returns and accepts it. */
  etag: string;
}

/** Returns the public URL of a key below `public/`. */
export function publicUrlOf(bucket: Pick<Bucket, 'publicUrl'>, key: string): string {
  return `${bucket.publicUrl}/${key.slice(PUBLIC.length)}`;
}

/** Returns the key of a public URL of this bucket; null for any other URL. */
export function keyOfUrl(bucket: Pick<Bucket, 'publicUrl'>, url: string): string | null {
  const root = `${bucket.publicUrl}/`;
  return url.startsWith(root) ? PUBLIC + url.slice(root.length) : null;
}

/** Whether an error is one of these answers of S3. Told by the name, so that nobody loads the SDK for it. */
export const isS3Error = (error: unknown, ...names: readonly string[]): boolean =>
  error instanceof Error && names.includes(error.name);

/** Keys are written once and never changed, so caches may keep the objects for ever. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Stores an object that is in memory. */
export async function putObject(bucket: Bucket, key: string, bytes: Uint8Array, type: string): Promise<void> {
  const { PutObjectCommand } = await sdk();
  const client = await bucket.client;
  await client.send(
    new PutObjectCommand({
      Bucket: bucket.name,
      Key: key,
      Body: bytes,
      ContentLength: bytes.byteLength,
      ContentType: type,
      CacheControl: IMMUTABLE,
    }),
  );
}

/** Reads an object's size, type and ETag; null where there is none. */
export async function headObject(bucket: Bucket, key: string): Promise<ObjectHead | null> {
  const { HeadObjectCommand, NotFound } = await sdk();
  const client = await bucket.client;
  try {
    const found = await client.send(new HeadObjectCommand({ Bucket: bucket.name, Key: key }));
    return { size: found.ContentLength ?? 0, type: found.ContentType ?? '', etag: found.ETag ?? '' };
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}

/** Opens the bytes `[start, end)` of an object, or all of them, as a stream; null where there is no object. */
export async function openObject(
  bucket: Bucket,
  key: string,
  { start, end, etag }: { start?: number; end?: number; etag?: string } = {},
): Promise<Readable | null> {
  const { GetObjectCommand, NoSuchKey } = await sdk();
  const client = await bucket.client;
  const range =
    start === undefined && end === undefined
      ? null
      : `bytes=${start ?? 0}-${end === undefined ? '' : end - 1}`;
  try {
    const { Body } = await client.send(
      new GetObjectCommand({
        Bucket: bucket.name,
        Key: key,
        ...(range !== null && { Range: range }),
        ...(etag !== undefined && { IfMatch: etag }),
      }),
    );
    if (Body instanceof Readable) return Body;
    throw new Error('S3 returned no stream');
  } catch (error) {
    if (error instanceof NoSuchKey) return null;
    throw error;
  }
}

/** Reads `[start, end)` of an object into memory, or as much as there is; null where there is no object. */
export async function readObject(
  bucket: Bucket,
  key: string,
  span: { start: number; end: number; etag?: string },
): Promise<Buffer | null> {
  try {
    const stream = await openObject(bucket, key, span);
    return stream && Buffer.concat(await stream.toArray());
  } catch (error) {
    // S3 rejects a range that begins beyond the end, and any range of an empty object.
    if (isS3Error(error, 'InvalidRange')) return Buffer.alloc(0);
    throw error;
  }
}

/** Deletes an object; succeeds where there is none. */
export async function deleteObject(bucket: Bucket, key: string): Promise<void> {
  const { DeleteObjectCommand } = await sdk();
  const client = await bucket.client;
  await client.send(new DeleteObjectCommand({ Bucket: bucket.name, Key: key }));
}
