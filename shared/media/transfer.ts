import { FILE_OF_FORMAT, MAX_BYTES, MEDIA_FORMATS, type MediaFormat } from '../model/media.ts';
import type { Transfer } from '../model/transfer.ts';
import { HttpFailure, type HttpClient } from '../net/http.ts';
import {
  abortAssembly,
  beginAssembly,
  completeAssembly,
  listParts,
  MIN_PART_BYTES,
  putPart,
  type PartHead,
} from '../store/multipart-objects.ts';
import { deleteObject, headObject, putObject, type Bucket } from '../store/objects.ts';
import { SECOND } from '../time/instant.ts';
import { HEAD_BYTES } from './inspect.ts';
import { checkBytesIntegrity, checkObjectIntegrity, type Integrity } from './integrity.ts';
import { formatOf, openSource, Unfit, type Source } from './source.ts';

/** What moves a file: one invocation's worth of time and patience. */
export interface TransferRun {
  bucket: Bucket;
  /** The guarded client. */
  http: Pick<HttpClient, 'open'>;
  /** What is left of this run. Milliseconds. */
  remainingMs: () => number;
  /** A file with more bytes is left to a run that has the time. */
  leaveAfterBytes: number;
  /** Attempts in a row that may get nothing further. */
  patience: number;
  /** Most of a file whose origin does not tell its size. Default: 5 GiB. */
  untoldBytes?: number;
  /** Where a file of this format goes. */
  newKey: (format: MediaFormat) => string;
  /** Stores how far it got. Throws when somebody else took over. */
  save: (transfer: Transfer) => Promise<void>;
}

export type TransferResult =
  | { type: 'done'; transfer: Transfer; key: string; format: MediaFormat; size: number }
  /** To be gone on with, by another run. */
  | { type: 'more'; transfer: Transfer; message: string }
  /** For good; nothing of it is left in the bucket. */
  | { type: 'failed'; transfer: Transfer; message: string };

/**
 * So much is in memory at a time. With it 10,000 parts hold 312 GiB, more than the largest file that is taken.
 */
const PART_BYTES = 32 * 1024 ** 2;

/** Most of a file whose origin does not tell how large it is: it may never end. */
const MAX_UNTOLD_BYTES = 5 * 1024 ** 3;

/** Kept back of a run's time for storing what has come. */
const RESERVE_MS = 3 * SECOND;
const PAUSE_MS = 1 * SECOND;

/** A transfer under way; `transfer` is what is stored, or will be. */
interface Session extends TransferRun {
  transfer: Transfer;
}

/**
 * Moves a file from its origin into the bucket, as a stream. A run ends when the file is there, when its time is over,
 * or when the origin has nothing for it; the next one goes on after the last part that S3 has.
 */
export async function runTransfer(run: TransferRun, transfer: Transfer): Promise<TransferResult> {
  const session: Session = { ...run, transfer };
  try {
    return (await finishedBefore(session)) ?? (await attempts(session));
  } catch (error) {
    const isBlocked = error instanceof HttpFailure && error.reason === 'blocked';
    if (!(error instanceof Unfit) && !isBlocked) throw error;
    await abandonTransfer(session);
    return { type: 'failed', transfer: session.transfer, message: error.message };
  }
}

/** The last step may have been taken by a run that died before it could say so. */
async function finishedBefore(session: Session): Promise<TransferResult | null> {
  const { bucket, transfer } = session;
  const { key, format } = transfer;
  if (key === null || format === null) return null;
  const head = await headObject(bucket, key);
  if (!head) return null;
  assertSound(format, await checkObjectIntegrity(bucket, key, head.size));
  return { type: 'done', transfer, key, format, size: head.size };
}

async function attempts(session: Session): Promise<TransferResult> {
  for (;;) {
    const before = await bytesStored(session);
    const { message, result } = await attempt(session);
    if (result) return result;
    const { transfer } = session;
    const failures = (await bytesStored(session)) > before ? 0 : transfer.failures + 1;
    session.transfer = { ...transfer, failures };
    if (failures >= session.patience) throw new Unfit(message);
    if (session.remainingMs() < RESERVE_MS + PAUSE_MS)
      return { type: 'more', transfer: session.transfer, message };
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
  }
}

/** One request to the origin. `message` says why it did not bring the whole file. */
async function attempt(session: Session): Promise<{ message: string; result?: TransferResult }> {
  try {
    return { message: '', result: await pull(session) };
  } catch (error) {
    if (!(error instanceof HttpFailure) || error.reason === 'blocked') throw error;
    return { message: `The origin cannot be read: ${error.message}` };
  }
}

async function pull(session: Session): Promise<TransferResult> {
  const parts = await partsOf(session);
  const offset = sizeOf(parts);
  const timeoutMs = Math.max(1, Math.floor(session.remainingMs() - RESERVE_MS));
  const source = await openSource(session.http, session.transfer, offset, timeoutMs);
  if (source.type === 'changed') {
    await startAnew(session);
    return pull(session);
  }
  const pile = createPile();
  try {
    for await (const chunk of source.chunks) {
      pile.add(chunk);
      await lookAt(session, source, pile, offset);
      if (isForLater(session, pile, parts)) return later(session);
      if (pile.size() < PART_BYTES) continue;
      await storePart(session, parts, pile.take());
    }
    await lookAt(session, source, pile, offset, true);
  } catch (error) {
    // What has come counts, where S3 takes it as a part.
    if (error instanceof HttpFailure && source.resumable && pile.size() >= MIN_PART_BYTES) {
      await storePart(session, parts, pile.take());
    }
    if (error instanceof HttpFailure && !source.resumable) await startAnew(session);
    throw error;
  } finally {
    source.close();
  }
  return finish(session, parts, pile.take());
}

/** Knows the format after the first bytes, and lets no file grow over what is taken. */
async function lookAt(
  session: Session,
  source: Source,
  pile: Pile,
  offset: number,
  isWhole = false,
): Promise<void> {
  const isUnknown = offset === 0 && !source.recognised;
  if (isUnknown && (isWhole || pile.size() >= HEAD_BYTES)) await recognise(session, source, pile.bytes());
  const { untoldBytes = MAX_UNTOLD_BYTES } = session;
  const { format, total } = session.transfer;
  if (format === null) return;
  const most = MAX_BYTES[MEDIA_FORMATS[format]];
  const size = Math.max(total ?? 0, offset + pile.total());
  if (size > most) throw new Unfit(`It is larger than ${most} bytes`);
  if (total === null && size > untoldBytes) {
    throw new Unfit(`It is larger than ${untoldBytes} bytes, and its origin does not tell its size`);
  }
}

/** A file that is read anew keeps its key, which was told already. */
async function recognise(session: Session, source: Source, head: Buffer): Promise<void> {
  const { transfer } = session;
  source.recognised = true;
  const format = await formatOf(head, source);
  if (transfer.format !== null && transfer.format !== format) throw new Unfit('It changed while it was read');
  const key = transfer.key ?? session.newKey(format);
  session.transfer = { ...transfer, format, key, total: source.total, etag: source.etag };
}

function isForLater({ transfer, leaveAfterBytes }: Session, pile: Pile, parts: readonly PartHead[]): boolean {
  if (transfer.format === null || parts.length > 0) return false;
  return Math.max(transfer.total ?? 0, pile.size()) > leaveAfterBytes;
}

const later = ({ transfer }: Session): TransferResult => ({ type: 'more', transfer, message: 'It is large' });

async function storePart(session: Session, parts: PartHead[], bytes: Buffer): Promise<void> {
  const assembly = await assemblyOf(session);
  const number = parts.length + 1;
  await putPart(session.bucket, assembly, number, bytes);
  parts.push({ number, size: bytes.byteLength, etag: '' });
}

/** The multipart upload of the file; begun, and stored, with the first part. */
async function assemblyOf(session: Session) {
  const { key, format, s3_upload_id } = session.transfer;
  if (key === null || format === null) throw new Error('A part came before its type was known');
  if (s3_upload_id !== null) return { key, s3_upload_id };
  const assembly = await beginAssembly(session.bucket, key, FILE_OF_FORMAT[format].type);
  session.transfer = { ...session.transfer, s3_upload_id: assembly.s3_upload_id };
  await session.save(session.transfer);
  return assembly;
}

async function finish(session: Session, parts: PartHead[], rest: Buffer): Promise<TransferResult> {
  const { bucket, transfer } = session;
  const { key, format } = transfer;
  if (key === null || format === null) throw new Unfit('It is empty');
  const size = sizeOf(parts) + rest.byteLength;
  if (parts.length === 0) {
    assertSound(format, await checkBytesIntegrity(rest));
    // Whoever comes after a death here finds the object by its key.
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
  assertSound(format, await checkObjectIntegrity(bucket, key, size));
}

function assertSound(format: MediaFormat, verdict: Integrity): void {
  if ('fault' in verdict) throw new Unfit(verdict.fault);
  if (verdict.format !== format) throw new Unfit('It changed while it was read');
}

/** The parts that S3 has. An upload that it knows no more was too old: it begins anew. */
async function partsOf(session: Session): Promise<PartHead[]> {
  const { key, s3_upload_id } = session.transfer;
  if (key === null || s3_upload_id === null) return [];
  const parts = await listParts(session.bucket, { key, s3_upload_id });
  if (parts) return parts;
  await startAnew(session);
  return [];
}

async function bytesStored({ bucket, transfer }: Session): Promise<number> {
  const { key, s3_upload_id } = transfer;
  if (key === null || s3_upload_id === null) return 0;
  return sizeOf((await listParts(bucket, { key, s3_upload_id })) ?? []);
}

async function startAnew(session: Session): Promise<void> {
  await abandonTransfer(session);
  session.transfer = { ...session.transfer, total: null, etag: null, s3_upload_id: null };
  await session.save(session.transfer);
}

/** Leaves nothing behind. */
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

interface Pile {
  add: (chunk: Buffer) => void;
  /** Bytes that lie here. */
  size: () => number;
  /** Bytes that ever came. */
  total: () => number;
  /** All that lies here, left where it is. */
  bytes: () => Buffer;
  take: () => Buffer;
}

/** Bytes on their way, until there are enough for a part. */
function createPile(): Pile {
  let chunks: Buffer[] = [];
  let size = 0;
  let total = 0;
  return {
    add: chunk => {
      chunks.push(chunk);
      size += chunk.byteLength;
      total += chunk.byteLength;
    },
    size: () => size,
    total: () => total,
    bytes: () => Buffer.concat(chunks),
    take: () => {
      const whole = Buffer.concat(chunks);
      chunks = [];
      size = 0;
      return whole;
    },
  };
}
