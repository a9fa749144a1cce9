import type { IncomingMessage } from 'node:http';
import { openFollowing } from '../../net/follow.ts';
import { readAll, type HttpClient, type OpenResponse } from '../../net/http.ts';
import { SECOND } from '../../time/instant.ts';
import { QUICK } from '../probe/budget.ts';
import type { FileAccess } from '../probe/file-access.ts';
import { HEAD_BYTES } from '../probe/head-bytes.ts';
import { assertFileResponse, hostUnavailable, mediaRejected, withHostErrors } from './host-errors.ts';
import { contentRange, strongEtag, UNCOMPRESSED, wholeNumber } from './range-request.ts';
import { tailReader } from './tail.ts';
import { createStreamCursor, type StreamCursor } from './stream-cursor.ts';

/** A user's file at its host, read piece by piece. */
export interface RemoteFile {
  /** Bytes. */
  size: number;
  /** The host's strong ETag; null where it sends none. */
  version: string | null;
  /** For an inspection: throws BudgetExceeded instead of reading through the whole file. */
  access: FileAccess;
  /** Returns exactly these bytes. Offsets must ascend where the host ignores ranges, else the file is read again. */
  read: (start: number, length: number) => Promise<Buffer>;
  close: () => Promise<void>;
}

const RANGE_TIMEOUT_MS = 12 * SECOND;

/**
 * Opens a media URL. `budgetMs` bounds reading from a host that ignores ranges. Throws PlatformError: `rejected` where
 * the URL leads to no file, `transient` where its host fails.
 */
export async function openRemoteFile(
  http: Pick<HttpClient, 'open'>,
  url: string,
  budgetMs: number,
): Promise<RemoteFile> {
  const first = await request(http, url, [0, HEAD_BYTES], Math.min(RANGE_TIMEOUT_MS, budgetMs));
  const range = first.status === 206 ? contentRange(first) : null;
  const head = await withHostErrors(() => createStreamCursor(first.stream).readUpTo(HEAD_BYTES));
  first.stream.destroy();
  if (head.length === 0) throw mediaRejected('The media URL returns an empty file');
  const restart = async (ms = budgetMs) => (await request(http, first.url, null, ms)).stream;
  const declared = range ? range.total : wholeNumber(first.headers['content-length']);
  const reader = range ? rangeReader(http, first.url, restart) : streamReader(restart);
  const size = declared ?? (await countBytes(await restart()));
  if (head.length < Math.min(HEAD_BYTES, size)) throw cutShort(head.length, Math.min(HEAD_BYTES, size));
  return {
    size,
    version: strongEtag(first.headers['etag']),
    ...reader,
    access: accessTo(head, size, reader, {
      readTail: tailReader(size, () => restart(Math.min(QUICK.ms, budgetMs))),
      type: first.headers['content-type'],
    }),
  };
}

interface Reader extends Pick<RemoteFile, 'read' | 'close'> {
  /** False where a piece can only be had by reading everything before it. */
  canSeek: () => boolean;
}

interface Rest {
  /** Reads pieces at the end of a file that cannot be had otherwise. */
  readTail: (start: number, end: number) => Promise<Buffer>;
  type: string | undefined;
}

function accessTo(
  head: Buffer,
  size: number,
  { canSeek, read }: Reader,
  { readTail, type = '' }: Rest,
): FileAccess {
  return {
    size,
    declared_type: type,
    read: async (start, wanted) => {
      const end = Math.min(wanted, size);
      if (end <= head.length) return head.subarray(start, end);
      if (!canSeek() && end > QUICK.bytes) return readTail(start, end);
      return read(start, end - start);
    },
  };
}

/** Sends one request a piece. A host that stops answering ranges is read as a stream from then on. */
function rangeReader(
  http: Pick<HttpClient, 'open'>,
  url: string,
  restart: () => Promise<IncomingMessage>,
): Reader {
  const stream = streamReader(restart);
  let supportsRanges = true;
  return {
    canSeek: () => supportsRanges,
    read: async (start, length) => {
      if (!supportsRanges) return stream.read(start, length);
      const response = await request(http, url, [start, length], RANGE_TIMEOUT_MS);
      if (response.status === 206 && contentRange(response)?.start === start) {
        return assertLength(await withHostErrors(() => readAll(response.stream, length)), length);
      }
      response.stream.destroy();
      supportsRanges = false;
      return stream.read(start, length);
    },
    close: stream.close,
  };
}

function streamReader(restart: () => Promise<IncomingMessage>): Reader {
  let stream: IncomingMessage | null = null;
  let cursor: StreamCursor | null = null;
  return {
    canSeek: () => false,
    read: async (start, length) => {
      if (cursor === null || cursor.position() > start) {
        stream?.destroy();
        stream = await restart();
        cursor = createStreamCursor(stream);
      }
      const current = cursor;
      return withHostErrors(async () => {
        await current.skipTo(start);
        return assertLength(await current.readUpTo(length), length);
      });
    },
    close: () => {
      stream?.destroy();
      return Promise.resolve();
    },
  };
}

/** Reads a file to its end, for a host that declares no length. */
async function countBytes(stream: IncomingMessage): Promise<number> {
  return withHostErrors(async () => {
    const cursor = createStreamCursor(stream);
    await cursor.skipTo(Number.MAX_SAFE_INTEGER);
    return cursor.position();
  });
}

/** `range` is offset and length. */
async function request(
  http: Pick<HttpClient, 'open'>,
  url: string,
  range: [number, number] | null,
  timeoutMs: number,
): Promise<OpenResponse & { url: string }> {
  const rangeHeader = range === null ? {} : { range: `bytes=${range[0]}-${range[0] + range[1] - 1}` };
  const headers = { ...UNCOMPRESSED, ...rangeHeader };
  return assertFileResponse(
    await withHostErrors(() => openFollowing(http, { method: 'GET', url, headers, timeoutMs })),
  );
}

function assertLength(bytes: Buffer, length: number): Buffer {
  if (bytes.length === length) return bytes;
  throw cutShort(bytes.length, length);
}

const cutShort = (got: number, wanted: number) =>
  hostUnavailable(`The media host sent ${got} of ${wanted} bytes`);
