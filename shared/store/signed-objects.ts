import type { Assembly } from './multipart-objects.ts';
import type { Bucket } from './objects.ts';

const sdk = () => import('../aws/sdk/s3-presigned.ts');

/**
 * Returns a presigned URL to upload one file with exactly this `Content-Type`. It expires after `seconds`, or earlier
 * with the credentials of the function that signs it.
 */
export async function signPut(bucket: Bucket, key: string, type: string, seconds: number): Promise<string> {
  const { getSignedUrl, PutObjectCommand } = await sdk();
  const put = new PutObjectCommand({ Bucket: bucket.name, Key: key, ContentType: type });
  return getSignedUrl(await bucket.client, put, {
    expiresIn: seconds,
    signableHeaders: new Set(['content-type']),
  });
}

/** Returns a presigned URL to upload one part of a multipart upload. */
export async function signPart(
  bucket: Bucket,
  { key, s3_upload_id }: Assembly,
  number: number,
  seconds: number,
): Promise<string> {
  const { getSignedUrl, UploadPartCommand } = await sdk();
  const part = new UploadPartCommand({
    Bucket: bucket.name,
    Key: key,
    UploadId: s3_upload_id,
    PartNumber: number,
  });
  return getSignedUrl(await bucket.client, part, { expiresIn: seconds });
}

/** Returns a presigned URL to read one file, whole or in ranges. */
export async function signGet(bucket: Bucket, key: string, seconds: number): Promise<string> {
  const { getSignedUrl, GetObjectCommand } = await sdk();
  const get = new GetObjectCommand({ Bucket: bucket.name, Key: key });
  return getSignedUrl(await bucket.client, get, { expiresIn: seconds });
}
