import { FILE_OF_FORMAT, MAX_BYTES, MEDIA_FORMATS } from '../../model/media.ts';
import type { Upload } from '../../model/upload.ts';
import type { Services } from '../../runtime/services.ts';
import {
  abortAssembly,
  completeAssembly,
  copyObject,
  listParts,
  MIN_PART_BYTES,
} from '../../store/multipart-objects.ts';
import { deleteObject, headObject, isS3Error, type Bucket } from '../../store/objects.ts';
import { replaceUpload } from '../../store/uploads.ts';
import { DAY } from '../../time/instant.ts';
import { checkObjectIntegrity } from '../check-integrity.ts';
import { newLease, type MediaRun } from '../transfer/media-run.ts';
import { endingAt, withoutTransientFields } from './ending.ts';
import { releaseStored, uploadFile } from '../storage-allowance.ts';

/** An upload that is not confirmed by then is deleted. */
export const UNCONFIRMED_MS = 1 * DAY;

/** Returns when an upload is removed that nobody confirms. */
export const unconfirmedUntil = (createdAt: number) => endingAt(createdAt + UNCONFIRMED_MS);

export type ConfirmationResult =
  | { type: 'ready'; upload: Upload }
  /** The file is not what was announced. It was deleted. */
  | { type: 'invalid'; message: string }
  /** Nothing was uploaded, or not every part. */
  | { type: 'absent'; message: string }
  /** Another worker has the lease. */
  | { type: 'busy' };

/** The version of the uploaded bytes that is being confirmed. */
interface UploadedBytes {
  size: number;
  etag: string | null;
}

/** Returns what was uploaded directly to the bucket; null for nothing, or not every part. */
export async function findUploadedBytes(
  bucket: Bucket,
  { key, direct }: Upload,
): Promise<UploadedBytes | null> {
  if (!direct || key === null) return null;
  if (!direct.multipart) return headObject(bucket, direct.pending_key);
  const { s3_upload_id, file_size } = direct.multipart;
  const parts = await listParts(bucket, { key, s3_upload_id });
  // Completed by a run that died before it could record it.
  if (!parts) return headObject(bucket, key);
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  return size === file_size ? { size, etag: null } : null;
}

/** Acquires the lease of an upload and fixes the version that is confirmed. Null when another worker was faster. */
export function acquireUpload(
  run: Pick<MediaRun, 'services' | 'remainingMs'>,
  upload: Upload,
  { size, etag }: UploadedBytes,
): Promise<Upload | null> {
  const direct = upload.direct && { ...upload.direct, etag };
  const leased: Upload = {
    ...withoutTransientFields(upload),
    status: 'processing',
    error: null,
    size,
    direct,
    ...newLease(run),
  };
  return replaceUpload(run.services.table, upload, leased);
}

/** Checks the bytes of a leased upload and moves them to its public key, which no presigned URL can write to. */
export async function finishConfirmation(services: Services, leased: Upload): Promise<ConfirmationResult> {
  const { table, bucket } = services;
  const { problem, isReplaced } = await checkAndPublish(bucket, leased);
  if (problem !== null) {
    await reopenUpload(services, leased, problem, isReplaced);
    return { type: isReplaced ? 'absent' : 'invalid', message: problem };
  }
  const ready = await replaceUpload(table, leased, {
    ...withoutTransientFields(leased),
    status: 'ready',
    direct: null,
  });
  return ready ? { type: 'ready', upload: ready } : { type: 'busy' };
}

interface CheckResult {
  problem: string | null;
  /** The bytes were replaced or removed meanwhile. */
  isReplaced: boolean;
}

const VALID: CheckResult = { problem: null, isReplaced: false };
const REPLACED: CheckResult = {
  problem: 'The file was replaced or removed while it was checked',
  isReplaced: true,
};

/** S3's errors for an object or part that is no longer the version that was checked. */
const REPLACED_ERRORS = ['PreconditionFailed', 'NoSuchKey', 'InvalidPart'];

async function checkAndPublish(bucket: Bucket, leased: Upload): Promise<CheckResult> {
  try {
    return await (leased.direct?.multipart
      ? publishMultipart(bucket, leased)
      : publishSingle(bucket, leased));
  } catch (error) {
    if (isS3Error(error, ...REPLACED_ERRORS)) return REPLACED;
    throw error;
  }
}

/** Copies a valid file from its pending key, to which its presigned URL keeps writing, to its public key. */
async function publishSingle(bucket: Bucket, { key, direct, size, format }: Upload): Promise<CheckResult> {
  if (key === null || format === null || !direct?.etag) throw new Error('The upload is not leased');
  const { pending_key, etag } = direct;
  const pending = await headObject(bucket, pending_key);
  // Published by a run that died before it could record it.
  if (!pending && (await headObject(bucket, key))) return VALID;
  if (pending?.etag !== etag) return REPLACED;
  const problem = await findProblem(bucket, pending_key, { format, size: pending.size, etag });
  if (problem === null) {
    const type = FILE_OF_FORMAT[format].type;
    await copyObject(bucket, { from: pending_key, to: key, etag, size: size ?? 0, type });
  }
  await deleteObject(bucket, pending_key);
  return { problem, isReplaced: false };
}

const PART_TOO_SMALL = `All parts but the last must have at least ${MIN_PART_BYTES} bytes`;

/** Completes a multipart upload at its public key: its presigned URLs end with its completion. */
async function publishMultipart(bucket: Bucket, { key, direct, format, size }: Upload): Promise<CheckResult> {
  if (key === null || format === null || !direct?.multipart) throw new Error('The upload has no parts');
  const assembly = { key, s3_upload_id: direct.multipart.s3_upload_id };
  const parts = await listParts(bucket, assembly);
  if (parts?.slice(0, -1).some(part => part.size < MIN_PART_BYTES)) {
    await abortAssembly(bucket, assembly);
    return { problem: PART_TOO_SMALL, isReplaced: false };
  }
  if (parts) await completeAssembly(bucket, assembly, parts);
  const problem = await findProblem(bucket, key, { format, size: size ?? 0 });
  if (problem !== null) await deleteObject(bucket, key);
  return { problem, isReplaced: false };
}

async function findProblem(
  bucket: Bucket,
  key: string,
  announced: { format: NonNullable<Upload['format']>; size: number; etag?: string },
): Promise<string | null> {
  const { format, size, etag } = announced;
  const limit = MAX_BYTES[MEDIA_FORMATS[format]];
  if (size === 0) return 'The file is empty';
  if (size > limit) return `The file is larger than ${limit} bytes`;
  const integrity = await checkObjectIntegrity(bucket, key, size, etag);
  if ('problem' in integrity) return integrity.problem;
  return integrity.format === format ? null : `The file is ${integrity.format}, but ${format} was announced`;
}

/**
 * Records why a confirmation failed. A presigned URL can be used again until it expires, those of parts cannot: that
 * upload has failed.
 */
async function reopenUpload(
  services: Services,
  leased: Upload,
  error: string,
  isReplaced: boolean,
): Promise<void> {
  const hasFailed = leased.direct?.multipart && !isReplaced;
  await releaseStored(services, uploadFile(leased));
  await replaceUpload(services.table, leased, {
    ...withoutTransientFields(leased),
    status: hasFailed ? 'failed' : 'pending',
    error,
    size: null,
    direct: leased.direct && { ...leased.direct, etag: null },
    ...unconfirmedUntil(leased.created_at),
  });
}
