import { S3ServiceException } from '@aws-sdk/client-s3';
import { FILE_OF_FORMAT, MAX_BYTES, MEDIA_FORMATS } from '../model/media.ts';
import type { Upload } from '../model/upload.ts';
import {
  abortAssembly,
  completeAssembly,
  copyObject,
  listParts,
  MIN_PART_BYTES,
} from '../store/multipart-objects.ts';
import { deleteObject, headObject, type Bucket } from '../store/objects.ts';
import { replaceUpload } from '../store/uploads.ts';
import { DAY, SECOND } from '../time/instant.ts';
import { settled } from './import-upload.ts';
import { leaseOf, type MediaRun } from './run.ts';
import { checkObjectIntegrity } from './integrity.ts';

/** An upload that nobody confirms by then is forgotten. */
export const UNCONFIRMED_MS = 1 * DAY;

export const unconfirmedUntil = (createdAt: number) => Math.floor((createdAt + UNCONFIRMED_MS) / SECOND);

/** How a confirmation ends. */
export type Confirmation =
  | { type: 'ready'; upload: Upload }
  /** The bytes are not what was promised, and gone. */
  | { type: 'unfit'; message: string }
  /** Nothing is there, or not all of it. */
  | { type: 'absent'; message: string }
  /** Somebody else has it in hand. */
  | { type: 'busy' };

/** Bytes that are here, in the version that is confirmed. */
interface Arrival {
  size: number;
  etag: string | null;
}

/** What a direct upload brought; null where that is not all, or nothing. */
export async function arrivalOf(bucket: Bucket, { key, direct }: Upload): Promise<Arrival | null> {
  if (!direct || key === null) return null;
  if (!direct.multipart) return headObject(bucket, direct.pending_key);
  const { s3_upload_id, file_size } = direct.multipart;
  const parts = await listParts(bucket, { key, s3_upload_id });
  // Complete already, by a run that died before it could say so.
  if (!parts) return headObject(bucket, key);
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  return size === file_size ? { size, etag: null } : null;
}

/** Takes an upload in hand: from now on just this version of its bytes counts. Null when somebody else was faster. */
export function acquireUpload(
  run: MediaRun,
  upload: Upload,
  { size, etag }: Arrival,
): Promise<Upload | null> {
  const direct = upload.direct && { ...upload.direct, etag };
  const held: Upload = {
    ...settled(upload),
    status: 'processing',
    error: null,
    size,
    direct,
    ...leaseOf(run),
  };
  return replaceUpload(run.services.table, upload, held);
}

/**
 * Finishes an upload that was taken in hand: looks at its bytes, and puts them where they are served and where no
 * address that was ever given out reaches.
 */
export async function finishConfirmation(run: MediaRun, held: Upload): Promise<Confirmation> {
  const { table, bucket } = run.services;
  const { message, isGone } = await examine(bucket, held);
  if (message !== null) {
    await putBack(run, held, message, isGone);
    return { type: isGone ? 'absent' : 'unfit', message };
  }
  const ready = await replaceUpload(table, held, { ...settled(held), status: 'ready', direct: null });
  return ready ? { type: 'ready', upload: ready } : { type: 'busy' };
}

interface Finding {
  message: string | null;
  /** The bytes were replaced or removed meanwhile. */
  isGone: boolean;
}

const FINE: Finding = { message: null, isGone: false };
const GONE: Finding = { message: 'The file was replaced or removed while it was looked at', isGone: true };

/** S3's words for bytes that are not those that were looked at. */
const REPLACED = ['PreconditionFailed', 'NoSuchKey', 'InvalidPart'];

async function examine(bucket: Bucket, held: Upload): Promise<Finding> {
  try {
    return await (held.direct?.multipart ? assemble(bucket, held) : release(bucket, held));
  } catch (error) {
    if (error instanceof S3ServiceException && REPLACED.includes(error.name)) return GONE;
    throw error;
  }
}

/** One file under an address of its own: what is sound is copied to where it is served. */
async function release(bucket: Bucket, { key, direct, size, format }: Upload): Promise<Finding> {
  if (key === null || format === null || !direct?.etag) throw new Error('The upload was not taken in hand');
  const { pending_key, etag } = direct;
  const arrived = await headObject(bucket, pending_key);
  // An earlier run died between its last step and saying so.
  if (!arrived && (await headObject(bucket, key))) return FINE;
  if (arrived?.etag !== etag) return GONE;
  const message = await faultOf(bucket, pending_key, { format, size: arrived.size, etag });
  if (message === null) {
    const type = FILE_OF_FORMAT[format].type;
    await copyObject(bucket, { from: pending_key, to: key, etag, size: size ?? 0, type });
  }
  await deleteObject(bucket, pending_key);
  return { message, isGone: false };
}

const TOO_SMALL = `All parts but the last must have at least ${MIN_PART_BYTES} bytes`;

/** A file in parts: its addresses end with its completion, so it is put together where it is served. */
async function assemble(bucket: Bucket, { key, direct, format, size }: Upload): Promise<Finding> {
  if (key === null || format === null || !direct?.multipart) throw new Error('The upload has no parts');
  const assembly = { key, s3_upload_id: direct.multipart.s3_upload_id };
  const parts = await listParts(bucket, assembly);
  if (parts?.slice(0, -1).some(part => part.size < MIN_PART_BYTES)) {
    await abortAssembly(bucket, assembly);
    return { message: TOO_SMALL, isGone: false };
  }
  if (parts) await completeAssembly(bucket, assembly, parts);
  const message = await faultOf(bucket, key, { format, size: size ?? 0 });
  if (message !== null) await deleteObject(bucket, key);
  return { message, isGone: false };
}

async function faultOf(
  bucket: Bucket,
  key: string,
  promised: { format: NonNullable<Upload['format']>; size: number; etag?: string },
): Promise<string | null> {
  const { format, size, etag } = promised;
  const most = MAX_BYTES[MEDIA_FORMATS[format]];
  if (size === 0) return 'The file is empty';
  if (size > most) return `The file is larger than ${most} bytes`;
  const verdict = await checkObjectIntegrity(bucket, key, size, etag);
  if ('fault' in verdict) return verdict.fault.replace('The link gives', 'It is');
  return verdict.format === format ? null : `The file is ${verdict.format}, but ${format} was announced`;
}

/**
 * The address may be used once more, as long as it lasts; those of parts end with them. What was wrong is told to whoever
 * asks after the upload.
 */
async function putBack({ services }: MediaRun, held: Upload, error: string, isGone: boolean): Promise<void> {
  const expires_at = unconfirmedUntil(held.created_at);
  const isLost = held.direct?.multipart && !isGone;
  await replaceUpload(services.table, held, {
    ...settled(held),
    status: isLost ? 'failed' : 'pending',
    error,
    size: null,
    direct: held.direct && { ...held.direct, etag: null },
    expires_at,
  });
}
