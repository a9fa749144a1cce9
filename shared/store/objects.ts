import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3ServiceException,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';

/** The bucket of all media. Its first argument to every function here, as the table is to the store's. */
export interface Bucket {
  client: S3Client;
  name: string;
  /** Root of the addresses under which `public/` is served. */
  publicUrl: string;
}

/** What everybody may fetch who knows the key. */
export const PUBLIC = 'public/';
/** Confirmed uploads: kept. */
export const MEDIA = `${PUBLIC}media/`;
/** Copies of media that waiting posts name: they go with their post. */
export const COPIES = `${PUBLIC}copies/`;
/** What was made of media for a platform: content-addressed, gone after 30 days. */
export const DERIVED = `${PUBLIC}derived/`;
/** What was put here and nobody has looked at: gone after a day, never served. */
export const PENDING = 'pending/';

export interface ObjectHead {
  /** Bytes. */
  size: number;
  type: string;
  /** In quotes, as S3 gives and takes it. */
  etag: string;
}

/** The address of a key below `public/`. */
export function publicUrlOf(bucket: Pick<Bucket, 'publicUrl'>, key: string): string {
  return `${bucket.publicUrl}/${key.slice(PUBLIC.length)}`;
}

/** The key that a public address of this bucket leads to; null for any other URL. */
export function keyOfUrl(bucket: Pick<Bucket, 'publicUrl'>, url: string): string | null {
  const root = `${bucket.publicUrl}/`;
  return url.startsWith(root) ? PUBLIC + url.slice(root.length) : null;
}

/** Keys are made once and never written again, so what is served under them may be kept for ever. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

/** Stores bytes that are all here. */
export async function putObject(bucket: Bucket, key: string, bytes: Uint8Array, type: string): Promise<void> {
  await bucket.client.send(
    new PutObjectCommand({
      Bucket: bucket.name,
      Key: key,
      Body: bytes,
      ContentLength: bytes.byteLength,
      ContentType: type,
      CacheControl: FOR_EVER,
    }),
  );
}

/** What lies under a key; null for nothing. */
export async function headObject(bucket: Bucket, key: string): Promise<ObjectHead | null> {
  try {
    const found = await bucket.client.send(new HeadObjectCommand({ Bucket: bucket.name, Key: key }));
    return { size: found.ContentLength ?? 0, type: found.ContentType ?? '', etag: found.ETag ?? '' };
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}

/** The bytes `[start, end)` of an object, or all of them, as a stream; null where nothing is. */
export async function openObject(
  bucket: Bucket,
  key: string,
  { start, end, etag }: { start?: number; end?: number; etag?: string } = {},
): Promise<Readable | null> {
  const range =
    start === undefined && end === undefined
      ? null
      : `bytes=${start ?? 0}-${end === undefined ? '' : end - 1}`;
  try {
    const { Body } = await bucket.client.send(
      new GetObjectCommand({
        Bucket: bucket.name,
        Key: key,
        ...(range !== null && { Range: range }),
        ...(etag !== undefined && { IfMatch: etag }),
      }),
    );
    if (Body instanceof Readable) return Body;
    throw new Error('S3 gave no stream');
  } catch (error) {
    if (error instanceof NoSuchKey) return null;
    throw error;
  }
}

/** Reads `[start, end)` of an object into memory, or as much as there is; null where nothing is. */
export async function readObject(
  bucket: Bucket,
  key: string,
  span: { start: number; end: number; etag?: string },
): Promise<Buffer | null> {
  try {
    const stream = await openObject(bucket, key, span);
    return stream && Buffer.concat(await stream.toArray());
  } catch (error) {
    // Nothing lies beyond the end of an object, not even in an empty one.
    if (error instanceof S3ServiceException && error.name === 'InvalidRange') return Buffer.alloc(0);
    throw error;
  }
}

/** Deletes an object; one that is not there is no fault. */
export async function deleteObject(bucket: Bucket, key: string): Promise<void> {
  await bucket.client.send(new DeleteObjectCommand({ Bucket: bucket.name, Key: key }));
}
