import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { PlatformError } from '../contract/error.ts';

/* Uploads in parts: one loop for all platforms, resumed from a checkpoint over any number of invocations. */

/** How far an upload got. Part of a publisher's checkpoint. */
export const ProgressSchema = v.object({
  /** Bytes that the platform has: the next part starts here. */
  offset: v.number(),
  /** What the platform returned for each part, in order, where it needs that at the end (an ETag). */
  receipts: v.array(v.string()),
});
export type Progress = v.InferOutput<typeof ProgressSchema>;

export const NO_PROGRESS: Progress = { offset: 0, receipts: [] };

/** The bytes `[start, end)` of the file. */
export interface PartRange {
  /** Position in the list of parts, from 0. */
  index: number;
  start: number;
  end: number;
}

export interface UploadPart extends PartRange {
  bytes: Uint8Array;
  isLast: boolean;
}

/** What the platform says about a part. */
export interface PartReceipt {
  /** The offset to continue at, where the platform decides: it may keep less than was sent. Default: the part's end. */
  offset?: number;
  receipt?: string;
}

export interface PartsUpload {
  file: { size: number; read: (start: number, length: number) => Promise<Uint8Array> };
  /** Returns the part that starts at an offset: `equalParts`, `listedParts`, or the platform's own rule. */
  partAt: (offset: number) => PartRange;
  /** Sends one part. It must be safe to send the same part again. */
  send: (part: UploadPart) => Promise<PartReceipt | undefined>;
  /**
   * Asks the platform for its offset, where it can tell: at the start of a call and before a part is repeated, since the
   * response to an earlier one may have been lost.
   */
  confirmedOffset?: () => Promise<number>;
  /** Milliseconds left of this invocation. */
  remainingMs: () => number;
  /** The longest time that one part takes, time-outs included. No part is started with less. Milliseconds. */
  partMs: number;
  /** Parts after which the progress is stored. Default: 16. */
  maxParts?: number;
  /** How often a part is repeated after a transient error before the error is thrown. Default: 2. */
  retries?: number;
  /** Delay before a repetition. Default: 1 s. */
  retryDelayMs?: number;
}

export interface PartsResult {
  /** False where the step must be called `again`: time is over, or it is time to store the progress. */
  done: boolean;
  progress: Progress;
  /** Parts sent in this call. */
  sent: number;
}

/**
 * Sends the parts of a file that are still missing. A transient error is thrown only where this call made no progress;
 * otherwise the progress is returned first, so that it is stored. Throws what `send` and the file throw.
 */
export async function uploadParts(upload: PartsUpload, from: Progress): Promise<PartsResult> {
  const { file, confirmedOffset, remainingMs, partMs, maxParts = 16 } = upload;
  let progress = from;
  let sent = 0;
  if (confirmedOffset && remainingMs() >= partMs) progress = { ...from, offset: await confirmedOffset() };
  while (progress.offset < file.size) {
    if (sent >= maxParts || remainingMs() < partMs) return { done: false, progress, sent };
    try {
      progress = await sendNextPart(upload, progress);
    } catch (error) {
      if (sent > 0 && isTransient(error)) return { done: false, progress, sent };
      throw error;
    }
    sent += 1;
  }
  return { done: true, progress, sent };
}

/** Sends the part at the current offset, again after transient errors while there is time. */
async function sendNextPart(upload: PartsUpload, progress: Progress): Promise<Progress> {
  const { confirmedOffset, remainingMs, partMs, retries = 2, retryDelayMs = 1000 } = upload;
  let current = progress;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await sendPart(upload, current);
    } catch (error) {
      if (!isTransient(error) || attempt >= retries || remainingMs() < retryDelayMs + partMs) throw error;
    }
    await sleep(retryDelayMs);
    if (!confirmedOffset) continue;
    const offset = await confirmedOffset();
    if (offset > progress.offset) return { ...progress, offset };
    current = { ...progress, offset };
  }
}

async function sendPart(
  { file, partAt, send }: PartsUpload,
  { offset, receipts }: Progress,
): Promise<Progress> {
  const part = partAt(offset);
  const bytes = await file.read(part.start, part.end - part.start);
  const { offset: next = part.end, receipt } =
    (await send({ ...part, bytes, isLast: part.end >= file.size })) ?? {};
  if (next <= offset) throw noProgress(offset);
  return { offset: next, receipts: receipt === undefined ? receipts : [...receipts, receipt] };
}

const noProgress = (offset: number) =>
  new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: `The platform accepted no bytes of the part at offset ${offset}`,
  });

const isTransient = (error: unknown) => error instanceof PlatformError && error.kind === 'transient';

/** Returns parts of equal size, the last one excepted. An offset within a part gets the rest of that part. */
export function equalParts(size: number, partBytes: number): PartsUpload['partAt'] {
  return offset => {
    const index = Math.floor(offset / partBytes);
    return { index, start: offset, end: Math.min(size, (index + 1) * partBytes) };
  };
}

/** Returns the parts that the platform listed. Throws for an offset at which none of them starts. */
export function listedParts(parts: readonly { start: number; end: number }[]): PartsUpload['partAt'] {
  const byStart = new Map(parts.map((part, index) => [part.start, { ...part, index }]));
  return offset => {
    const part = byStart.get(offset);
    if (!part) throw new Error(`No part starts at offset ${offset}`);
    return part;
  };
}
