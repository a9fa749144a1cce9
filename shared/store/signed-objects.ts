import { GetObjectCommand, PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Assembly } from './multipart-objects.ts';
import type { Bucket } from './objects.ts';

/**
 * Returns a presigned URL to upload one file with exactly this `Content-Type`. It expires after `seconds`, or earlier
 * with the credentials of the function that signs it.
 */
export function signPut(bucket: Bucket, key: string, type: string, seconds: number): Promise<string> {
  const put = new PutObjectCommand({ Bucket: bucket.name, Key: key, ContentType: type });
  return getSignedUrl(bucket.client, put, {
    expiresIn: seconds,
    signableHeaders: new Set(['content-type']),
  });
}

/** Returns a presigned URL to upload one part of a multipart upload. */
export function signPart(
  bucket: Bucket,
  { key, s3_upload_id }: Assembly,
  number: number,
  seconds: number,
): Promise<string> {
  const part = new UploadPartCommand({
    Bucket: bucket.name,
    Key: key,
    UploadId: s3_upload_id,
    PartNumber: number,
  });
  return getSignedUrl(bucket.client, part, { expiresIn: seconds });
}

/** Returns a presigned URL to read one file, whole or in ranges. */
export function signGet(bucket: Bucket, key: string, seconds: number): Promise<string> {
  const get = new GetObjectCommand({ Bucket: bucket.name, Key: key });
  return getSignedUrl(bucket.client, get, { expiresIn: seconds });
}
