import type { IncomingMessage } from 'node:http';
import { openFollowing } from '../net/follow.ts';
import { readAll, type HttpClient, type OpenResponse } from '../net/http.ts';
import { SECOND } from '../time/instant.ts';
import { ReadBudgetExceeded, type FileAccess } from './access.ts';
import { cursorOf, type Cursor } from './cursor.ts';
import { HEAD_BYTES, WHOLE_BYTES } from './inspect.ts';
import { PLAIN, rangeOf } from './ranges.ts';
import { fromHost, hostFails, mediaRejected, usable } from './refusal.ts';

/** A user's file at its host, read piece by piece. */
export interface Origin {
  /** Bytes. */
  size: number;
  /** For a look at the file: throws TooMuchReading instead of reading through the whole of it. */
  access: FileAccess;
  /** Exactly these bytes. Reads must ascend where the host knows no ranges, else the file is read again. */
  read: (start: number, length: number) => Promise<Buffer>;
  close: () => Promise<void>;
}

const RANGE_TIMEOUT_MS = 12 * SECOND;

/**
 * Opens a media URL. `budgetMs` bounds the reading of a stream from a host without ranges. Throws PlatformError:
 * `rejected` where the URL gives no file, `transient` where its host fails.
 */
export async function openOrigin(
  http: Pick<HttpClient, 'open'>,
  url: string,
  budgetMs: number,
): Promise<Origin> {
  const first = await request(http, url, [0, HEAD_BYTES], Math.min(RANGE_TIMEOUT_MS, budgetMs));
  const range = first.status === 206 ? rangeOf(first) : null;
  const head = await fromHost(() => cursorOf(first.stream).takeUpTo(HEAD_BYTES));
  first.stream.destroy();
  if (head.length === 0) throw mediaRejected('The media URL gives an empty file');
  const restart = async () => (await request(http, first.url, null, budgetMs)).stream;
  const size = range ? range.total : contentLength(first);
  const reader = range ? rangeReader(http, first.url, restart) : streamReader(restart);
  const known = size ?? (await count(await restart()));
  if (head.length < Math.min(HEAD_BYTES, known)) throw cutShort(head.length, Math.min(HEAD_BYTES, known));
  return { size: known, ...reader, access: accessTo(head, known, reader, first.headers['content-type']) };
}

interface Reader extends Pick<Origin, 'read' | 'close'> {
  /** False where a piece can only be had by reading everything before it. */
  jumps: () => boolean;
}

function accessTo(head: Buffer, size: number, { jumps, read }: Reader, type = ''): FileAccess {
  return {
    size,
    said_type: type,
    read: async (start, wanted) => {
      const end = Math.min(wanted, size);
      if (end <= head.length) return head.subarray(start, end);
      if (!jumps() && end > WHOLE_BYTES) throw new ReadBudgetExceeded('Its host knows no ranges');
      return read(start, end - start);
    },
  };
}

/** One request a piece. A host that suddenly answers with the whole file is read as a stream from then on. */
function rangeReader(
  http: Pick<HttpClient, 'open'>,
  url: string,
  restart: () => Promise<IncomingMessage>,
): Reader {
  const stream = streamReader(restart);
  let ranges = true;
  return {
    jumps: () => ranges,
    read: async (start, length) => {
      if (!ranges) return stream.read(start, length);
      const response = await request(http, url, [start, length], RANGE_TIMEOUT_MS);
      if (response.status === 206 && rangeOf(response)?.start === start) {
        return complete(await fromHost(() => readAll(response.stream, length)), length);
      }
      response.stream.destroy();
      ranges = false;
      return stream.read(start, length);
    },
    close: stream.close,
  };
}

function streamReader(restart: () => Promise<IncomingMessage>): Reader {
  let stream: IncomingMessage | null = null;
  let cursor: Cursor | null = null;
  return {
    jumps: () => false,
    read: async (start, length) => {
      if (cursor === null || cursor.position() > start) {
        stream?.destroy();
        stream = await restart();
        cursor = cursorOf(stream);
      }
      const current = cursor;
      return fromHost(async () => {
        await current.skipTo(start);
        return complete(await current.takeUpTo(length), length);
      });
    },
    close: () => {
      stream?.destroy();
      return Promise.resolve();
    },
  };
}

/** For a host that tells no length. */
async function count(stream: IncomingMessage): Promise<number> {
  return fromHost(async () => {
    const cursor = cursorOf(stream);
    await cursor.skipTo(Number.MAX_SAFE_INTEGER);
    return cursor.position();
  });
}

/** `range` is start and length. */
async function request(
  http: Pick<HttpClient, 'open'>,
  url: string,
  range: [number, number] | null,
  timeoutMs: number,
): Promise<OpenResponse & { url: string }> {
  const part = range === null ? {} : { range: `bytes=${range[0]}-${range[0] + range[1] - 1}` };
  const headers = { ...PLAIN, ...part };
  return usable(await fromHost(() => openFollowing(http, { method: 'GET', url, headers, timeoutMs })));
}

function complete(bytes: Buffer, length: number): Buffer {
  if (bytes.length === length) return bytes;
  throw cutShort(bytes.length, length);
}

const cutShort = (got: number, wanted: number) => hostFails(`The media host sent ${got} of ${wanted} bytes`);

function contentLength({ headers }: OpenResponse): number | null {
  const length = headers['content-length'];
  return length === undefined || !/^\d{1,15}$/.test(length) ? null : Number(length);
}
