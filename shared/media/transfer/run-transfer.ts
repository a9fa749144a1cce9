import {
  FILE_OF_FORMAT,
  MAX_BYTES,
  MEDIA_FORMATS,
  type MediaFormat,
  type MediaKind,
} from '../../model/media.ts';
import type { Transfer } from '../../model/transfer.ts';
import { HttpFailure, type HttpClient } from '../../net/http.ts';
import {
  abortAssembly,
  beginAssembly,
  completeAssembly,
  listParts,
  MIN_PART_BYTES,
  putPart,
  type PartHead,
} from '../../store/multipart-objects.ts';
import { deleteObject, headObject, putObject, type Bucket } from '../../store/objects.ts';
import { SECOND } from '../../time/instant.ts';
import { checkBytesIntegrity, checkObjectIntegrity, type Integrity } from '../check-integrity.ts';
import { HEAD_BYTES } from '../probe/head-bytes.ts';
import { createChunkBuffer, type ChunkBuffer } from './chunk-buffer.ts';
import { formatOf, openSource, UnacceptableFile, type Source } from './source.ts';

/** One invocation's share of a transfer. */
export interface TransferRun {
  bucket: Bucket;
  /** The guarded client. */
  http: Pick<HttpClient, 'open'>;
  /** Milliseconds left of this run. */
  remainingMs: () => number;
  /** A larger file is left to a run that has more time. */
  maxInlineBytes: number;
  /** Consecutive attempts without progress after which the transfer fails. */
  maxFailures: number;
  /** The most bytes of a file whose host does not declare its size. Default: 5 GiB. */
  maxUnknownSizeBytes?: number;
  /** Bytes in memory at a time, at least MIN_PART_BYTES. Default: 32 MiB. */
  partBytes?: number;
  /** Between two requests to the host. Default: 1 s. */
  pauseMs?: number;
  /** The most bytes of a file of each kind. Default: what the service accepts. */
  maxBytes?: Readonly<Record<MediaKind, number>>;
  /** Returns the object key for a file of this format. */
  newKey: (format: MediaFormat) => string;
  /** Stores the progress. Throws when another worker acquired the lease. */
  save: (transfer: Transfer) => Promise<void>;
}

export type TransferResult =
  | { type: 'done'; transfer: Transfer; key: string; format: MediaFormat; size: number }
  /** To be continued by another run. */
  | { type: 'more'; transfer: Transfer; message: string }
  /** Failed for good; its parts are deleted from the bucket. */
  | { type: 'failed'; transfer: Transfer; message: string };

/** 10,000 such parts hold 312 GiB, more than the largest accepted file. */
const PART_BYTES = 32 * 1024 ** 2;

/** A file whose host does not declare its size may never end. */
const MAX_UNKNOWN_SIZE_BYTES = 5 * 1024 ** 3;

/** Reserved of a run's time for storing what was received. */
const RESERVE_MS = 3 * SECOND;
const PAUSE_MS = 1 * SECOND;

/** A transfer in progress; `transfer` is what is stored, or will be. */
interface Session extends TransferRun {
  transfer: Transfer;
}

/**
 * Streams a file from its host into the bucket. A run ends when the file is complete, when its time is over, or when
 * the host sends no more; the next run continues after the last part that S3 has.
 */
export async function runTransfer(run: TransferRun, transfer: Transfer): Promise<TransferResult> {
  const session: Session = { ...run, transfer };
  try {
    return (await completedEarlier(session)) ?? (await attemptRepeatedly(session));
  } catch (error) {
    const isBlocked = error instanceof HttpFailure && error.reason === 'blocked';
    if (!(error instanceof UnacceptableFile) && !isBlocked) throw error;
    await abandonTransfer(session);
    return { type: 'failed', transfer: session.transfer, message: error.message };
  }
}

/** Returns the result of a run that died after completing the object and before recording it. */
async function completedEarlier(session: Session): Promise<TransferResult | null> {
  const { bucket, transfer } = session;
  const { key, format } = transfer;
  if (key === null || format === null) return null;
  const head = await headObject(bucket, key);
  if (!head) return null;
  assertIntegrity(format, await checkObjectIntegrity(bucket, key, head.size));
  return { type: 'done', transfer, key, format, size: head.size };
}

async function attemptRepeatedly(session: Session): Promise<TransferResult> {
  for (;;) {
    const before = await bytesStored(session);
    const { message, result, isSlow = false } = await attempt(session);
    if (result) return result;
    const { transfer } = session;
    const failures = (await bytesStored(session)) > before ? 0 : transfer.failures + 1;
    session.transfer = { ...transfer, failures };
    if (failures >= session.maxFailures) throw new UnacceptableFile(message);
    const { pauseMs = PAUSE_MS } = session;
    // A slow host is left to another run: this one has other files to transfer.
    if (isSlow || session.remainingMs() < RESERVE_MS + pauseMs)
      return { type: 'more', transfer: session.transfer, message };
    await new Promise(resolve => setTimeout(resolve, pauseMs));
  }
}

/** Sends one request to the host. `message` says why it did not return the whole file. */
async function attempt(
  session: Session,
): Promise<{ message: string; isSlow?: boolean; result?: TransferResult }> {
  try {
    return { message: '', result: await download(session) };
  } catch (error) {
    if (!(error instanceof HttpFailure) || error.reason === 'blocked') throw error;
    return {
      message: `The file could not be downloaded: ${error.message}`,
      isSlow: error.reason === 'timeout',
    };
  }
}

async function download(session: Session): Promise<TransferResult> {
  const parts = await storedParts(session);
  const offset = sizeOf(parts);
  // A run that died before it could complete the object. No range of the file is left to request.
  if (offset > 0 && offset === session.transfer.total) return finish(session, parts, Buffer.alloc(0));
  const timeoutMs = Math.max(1, Math.floor(session.remainingMs() - RESERVE_MS));
  const source = await openSource(session.http, session.transfer, offset, timeoutMs);
  if (source.type === 'changed') {
    await restart(session);
    return download(session);
  }
  const { partBytes = PART_BYTES } = session;
  const buffer = createChunkBuffer();
  try {
    for await (const chunk of source.chunks) {
      buffer.add(chunk);
      await checkProgress(session, source, buffer, offset);
      if (exceedsInlineLimit(session, buffer, parts)) return leaveForLater(session);
      if (buffer.size() >= partBytes) await storePart(session, parts, buffer.take());
    }
    await checkProgress(session, source, buffer, offset, true);
  } catch (error) {
    if (error instanceof HttpFailure) await keepReceived(session, source, parts, buffer);
    throw error;
  } finally {
    source.close();
  }
  return finish(session, parts, buffer.take());
}

/** Stores what was received before a failure, where the next request can continue after it. */
async function keepReceived(
  session: Session,
  source: Source,
  parts: PartHead[],
  buffer: ChunkBuffer,
): Promise<void> {
  if (!source.resumable) await restart(session);
  else if (buffer.size() >= MIN_PART_BYTES) await storePart(session, parts, buffer.take());
}

/** Identifies the format as soon as enough bytes are here, and stops a file that exceeds its size limit. */
async function checkProgress(
  session: Session,
  source: Source,
  buffer: ChunkBuffer,
  offset: number,
  isWhole = false,
): Promise<void> {
  const isUnidentified = offset === 0 && !source.identified;
  if (isUnidentified && (isWhole || buffer.size() >= HEAD_BYTES))
    await identifyFormat(session, source, buffer.peek());
  const { maxUnknownSizeBytes = MAX_UNKNOWN_SIZE_BYTES, maxBytes = MAX_BYTES } = session;
  const { format, total } = session.transfer;
  if (format === null) return;
  const kind = MEDIA_FORMATS[format];
  const limit = maxBytes[kind];
  if (limit === 0) throw new UnacceptableFile(`The file is ${format}, which the post cannot contain`);
  const size = Math.max(total ?? 0, offset + buffer.total());
  if (size > limit) throw new UnacceptableFile(`The file is larger than ${limit} bytes`);
  if (total === null && size > maxUnknownSizeBytes) {
    throw new UnacceptableFile(
      `The file is larger than ${maxUnknownSizeBytes} bytes, and its host does not declare its size`,
    );
  }
}

/** A file that is downloaded again keeps its key, which may have been returned to the user. */
async function identifyFormat(session: Session, source: Source, head: Buffer): Promise<void> {
  const { transfer } = session;
  source.identified = true;
  const format = await formatOf(head, source);
  if (transfer.format !== null && transfer.format !== format) throw changedDuringDownload();
  const key = transfer.key ?? session.newKey(format);
  session.transfer = { ...transfer, format, key, total: source.total, etag: source.etag };
}

const changedDuringDownload = () => new UnacceptableFile('The file changed while it was downloaded');

function exceedsInlineLimit(
  { transfer, maxInlineBytes }: Session,
  buffer: ChunkBuffer,
  parts: readonly PartHead[],
): boolean {
  if (transfer.format === null || parts.length > 0) return false;
  return Math.max(transfer.total ?? 0, buffer.size()) > maxInlineBytes;
}

const leaveForLater = ({ transfer }: Session): TransferResult => ({
  type: 'more',
  transfer,
  message: 'The file is too large for this run',
});

async function storePart(session: Session, parts: PartHead[], bytes: Buffer): Promise<void> {
  const assembly = await assemblyOf(session);
  const number = parts.length + 1;
  await putPart(session.bucket, assembly, number, bytes);
  parts.push({ number, size: bytes.byteLength, etag: '' });
}

/** Returns the multipart upload of the file. Begins and saves it with the first part. */
async function assemblyOf(session: Session) {
  const { key, format, s3_upload_id } = session.transfer;
  if (key === null || format === null) throw new Error('A part was stored before the format was identified');
  if (s3_upload_id !== null) return { key, s3_upload_id };
  const assembly = await beginAssembly(session.bucket, key, FILE_OF_FORMAT[format].type);
  session.transfer = { ...session.transfer, s3_upload_id: assembly.s3_upload_id };
  await session.save(session.transfer);
  return assembly;
}

async function finish(session: Session, parts: PartHead[], rest: Buffer): Promise<TransferResult> {
  const { bucket, transfer } = session;
  const { key, format } = transfer;
  if (key === null || format === null) throw new UnacceptableFile('The file is empty');
  const size = sizeOf(parts) + rest.byteLength;
  if (parts.length === 0) {
    assertIntegrity(format, await checkBytesIntegrity(rest));
    // Saved first: after a crash in between, the next run finds the object by its key.
    await session.save(transfer);
    await putObject(bucket, key, rest, FILE_OF_FORMAT[format].type);
  } else {
    if (rest.byteLength > 0) await storePart(session, parts, rest);
    await complete(session, key, format, size);
  }
  return { type: 'done', transfer: session.transfer, key, format, size };
}

async function complete(session: Session, key: string, format: MediaFormat, size: number): Promise<void> {
  const { bucket } = session;
  const assembly = await assemblyOf(session);
  await completeAssembly(bucket, assembly, (await listParts(bucket, assembly)) ?? []);
  assertIntegrity(format, await checkObjectIntegrity(bucket, key, size));
}

function assertIntegrity(format: MediaFormat, integrity: Integrity): void {
  if ('problem' in integrity) throw new UnacceptableFile(integrity.problem);
  if (integrity.format !== format) throw changedDuringDownload();
}

/** Returns the parts that S3 has. An upload that S3 no longer knows was too old: the download starts again. */
async function storedParts(session: Session): Promise<PartHead[]> {
  const { key, s3_upload_id } = session.transfer;
  if (key === null || s3_upload_id === null) return [];
  const parts = await listParts(session.bucket, { key, s3_upload_id });
  if (parts) return parts;
  await restart(session);
  return [];
}

async function bytesStored({ bucket, transfer }: Session): Promise<number> {
  const { key, s3_upload_id } = transfer;
  if (key === null || s3_upload_id === null) return 0;
  return sizeOf((await listParts(bucket, { key, s3_upload_id })) ?? []);
}

async function restart(session: Session): Promise<void> {
  await abandonTransfer(session);
  session.transfer = { ...session.transfer, total: null, etag: null, s3_upload_id: null };
  await session.save(session.transfer);
}

/** Removes everything that a transfer stored in the bucket. */
export async function abandonTransfer({
  bucket,
  transfer,
}: Pick<Session, 'bucket' | 'transfer'>): Promise<void> {
  const { key, s3_upload_id } = transfer;
  if (key === null) return;
  if (s3_upload_id !== null) await abortAssembly(bucket, { key, s3_upload_id });
  await deleteObject(bucket, key);
}

const sizeOf = (parts: readonly PartHead[]) => parts.reduce((sum, { size }) => sum + size, 0);
