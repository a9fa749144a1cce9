import type { CompletedPart } from '@aws-sdk/client-s3';
import { IMMUTABLE, type Bucket } from './objects.ts';

const sdk = () => import('../aws/sdk/s3.ts');

/** A multipart upload: the object is not visible before it is completed. */
export interface Assembly {
  key: string;
  s3_upload_id: string;
}

export interface PartHead {
  number: number;
  /** Bytes. */
  size: number;
  etag: string;
}

/** S3's limits: the smallest part except the last, and the number of parts of an object. */
export const MIN_PART_BYTES = 5 * 1024 ** 2;
export const MAX_PARTS = 10_000;
/** S3's limit for an object that is put or copied with one request. */
export const MAX_SINGLE_BYTES = 5 * 1024 ** 3;

export async function beginAssembly(bucket: Bucket, key: string, type: string): Promise<Assembly> {
  const { CreateMultipartUploadCommand } = await sdk();
  const client = await bucket.client;
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({
      Bucket: bucket.name,
      Key: key,
      ContentType: type,
      CacheControl: IMMUTABLE,
    }),
  );
  if (UploadId === undefined) throw new Error('S3 returned no upload id');
  return { key, s3_upload_id: UploadId };
}

const target = (bucket: Bucket, { key, s3_upload_id }: Assembly) => ({
  Bucket: bucket.name,
  Key: key,
  UploadId: s3_upload_id,
});

/** Uploads a part, replacing one of the same number. */
export async function putPart(
  bucket: Bucket,
  assembly: Assembly,
  number: number,
  bytes: Uint8Array,
): Promise<void> {
  const { UploadPartCommand } = await sdk();
  const client = await bucket.client;
  await client.send(
    new UploadPartCommand({
      ...target(bucket, assembly),
      PartNumber: number,
      Body: bytes,
      ContentLength: bytes.byteLength,
    }),
  );
}

/** Lists the uploaded parts by number; null when the upload no longer exists: completed, aborted or expired. */
export async function listParts(bucket: Bucket, assembly: Assembly): Promise<PartHead[] | null> {
  const { ListPartsCommand, NoSuchUpload } = await sdk();
  const client = await bucket.client;
  const parts: PartHead[] = [];
  let marker: string | undefined;
  try {
    do {
      const page = await client.send(
        new ListPartsCommand({
          ...target(bucket, assembly),
          ...(marker !== undefined && { PartNumberMarker: marker }),
        }),
      );
      for (const { PartNumber = 0, Size = 0, ETag = '' } of page.Parts ?? []) {
        parts.push({ number: PartNumber, size: Size, etag: ETag });
      }
      marker = page.IsTruncated === true ? page.NextPartNumberMarker : undefined;
    } while (marker !== undefined);
    return parts;
  } catch (error) {
    if (error instanceof NoSuchUpload) return null;
    throw error;
  }
}

/** Completes the object from these parts. */
export async function completeAssembly(
  bucket: Bucket,
  assembly: Assembly,
  parts: readonly PartHead[],
): Promise<void> {
  const { CompleteMultipartUploadCommand } = await sdk();
  const client = await bucket.client;
  const Parts: CompletedPart[] = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }));
  await client.send(
    new CompleteMultipartUploadCommand({ ...target(bucket, assembly), MultipartUpload: { Parts } }),
  );
}

/** Aborts a multipart upload; succeeds where it was completed or aborted already. */
export async function abortAssembly(bucket: Bucket, assembly: Assembly): Promise<void> {
  const { AbortMultipartUploadCommand, NoSuchUpload } = await sdk();
  const client = await bucket.client;
  try {
    await client.send(new AbortMultipartUploadCommand(target(bucket, assembly)));
  } catch (error) {
    if (!(error instanceof NoSuchUpload)) throw error;
  }
}

export interface CopyJob {
  from: string;
  to: string;
  /** The version to copy; S3 rejects any other. */
  etag: string;
  size: number;
  type: string;
}

/** One request copies this much in a second or two; larger objects are copied in concurrent parts. */
const COPY_PART_BYTES = 128 * 1024 ** 2;
const CONCURRENT_PARTS = 8;

/** Copies an object within the bucket. Throws S3's `PreconditionFailed` when it is no longer that version. */
export async function copyObject(bucket: Bucket, job: CopyJob): Promise<void> {
  if (job.size > COPY_PART_BYTES) return copyInParts(bucket, job);
  const { CopyObjectCommand } = await sdk();
  const client = await bucket.client;
  await client.send(
    new CopyObjectCommand({
      Bucket: bucket.name,
      Key: job.to,
      CopySource: `${bucket.name}/${job.from}`,
      CopySourceIfMatch: job.etag,
      MetadataDirective: 'REPLACE',
      ContentType: job.type,
      CacheControl: IMMUTABLE,
    }),
  );
}

async function copyInParts(bucket: Bucket, { from, to, etag, size, type }: CopyJob): Promise<void> {
  const { UploadPartCopyCommand } = await sdk();
  const client = await bucket.client;
  const assembly = await beginAssembly(bucket, to, type);
  const count = Math.ceil(size / COPY_PART_BYTES);
  const parts: PartHead[] = Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    size: Math.min(COPY_PART_BYTES, size - index * COPY_PART_BYTES),
    etag: '',
  }));
  const pending = [...parts];
  const copyParts = async () => {
    for (let part = pending.shift(); part !== undefined; part = pending.shift()) {
      const start = (part.number - 1) * COPY_PART_BYTES;
      const { CopyPartResult } = await client.send(
        new UploadPartCopyCommand({
          ...target(bucket, assembly),
          PartNumber: part.number,
          CopySource: `${bucket.name}/${from}`,
          CopySourceIfMatch: etag,
          CopySourceRange: `bytes=${start}-${start + part.size - 1}`,
        }),
      );
      part.etag = CopyPartResult?.ETag ?? '';
    }
  };
  try {
    await Promise.all(Array.from({ length: CONCURRENT_PARTS }, copyParts));
    await completeAssembly(bucket, assembly, parts);
  } catch (error) {
    await abortAssembly(bucket, assembly);
    throw error;
  }
}
