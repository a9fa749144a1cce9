import type { IncomingMessage } from 'node:http';
import { fileTypeFromBuffer } from 'file-type';
import { HttpFailure, readAll, type HttpClient, type OpenResponse } from '../../net/http.ts';
import { PlatformError } from '../error.ts';

/** A user's file at its host, read piece by piece. */
export interface Origin {
  /** MIME type told from the bytes; null where they are of no known kind. */
  type: string | null;
  /** Bytes. */
  size: number;
  /** Exactly these bytes. Reads must ascend where the host knows no ranges, else the file is read again. */
  read: (start: number, length: number) => Promise<Buffer>;
  close: () => void;
}

const MAX_REDIRECTS = 5;
const RANGE_TIMEOUT_MS = 12_000;
/** Enough for every signature that is looked for. */
const HEAD_BYTES = 4100;

/**
 * Opens a media URL. `budgetMs` bounds the reading of a stream from a host without ranges. Throws PlatformError:
 * `rejected` where the URL gives no file, `transient` where its host fails.
 */
export async function openOrigin(http: HttpClient, url: string, budgetMs: number): Promise<Origin> {
  const { response, url: target } = await request(http, url, [0, HEAD_BYTES], RANGE_TIMEOUT_MS);
  const ranged = response.status === 206;
  const size = ranged ? rangeTotal(response) : contentLength(response);
  const head = await guarded(() => cursorOf(response.stream).takeUpTo(HEAD_BYTES));
  response.stream.destroy();
  if (head.length === 0) throw emptyFile();
  const restart = async () => (await request(http, target, null, budgetMs)).response.stream;
  return {
    type: (await fileTypeFromBuffer(head))?.mime ?? null,
    size: size ?? (await count(await restart())),
    ...(ranged ? rangeReader(http, target, restart) : streamReader(restart)),
  };
}

type Reader = Pick<Origin, 'read' | 'close'>;

/** One request a piece. A host that suddenly answers with the whole file is read as a stream from then on. */
function rangeReader(http: HttpClient, url: string, restart: () => Promise<IncomingMessage>): Reader {
  const stream = streamReader(restart);
  let ranges = true;
  return {
    read: async (start, length) => {
      if (!ranges) return stream.read(start, length);
      const { response } = await request(http, url, [start, length], RANGE_TIMEOUT_MS);
      if (response.status === 206 && rangeStart(response) === start) {
        return complete(await guarded(() => readAll(response.stream, length)), length);
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
    read: async (start, length) => {
      if (cursor === null || cursor.position() > start) {
        stream?.destroy();
        stream = await restart();
        cursor = cursorOf(stream);
      }
      const current = cursor;
      return guarded(async () => {
        await current.skipTo(start);
        return complete(await current.takeUpTo(length), length);
      });
    },
    close: () => void stream?.destroy(),
  };
}

interface Cursor {
  position: () => number;
  skipTo: (position: number) => Promise<void>;
  /** Fewer bytes only at the end. */
  takeUpTo: (length: number) => Promise<Buffer>;
}

function cursorOf(stream: IncomingMessage): Cursor {
  const chunks = stream.iterator({ destroyOnReturn: false });
  let position = 0;
  let rest: Buffer = Buffer.alloc(0);

  async function piece(limit: number): Promise<Buffer | null> {
    if (rest.length === 0) {
      const next: IteratorResult<unknown> = await chunks.next();
      if (next.done || !Buffer.isBuffer(next.value)) return null;
      rest = next.value;
    }
    const taken = rest.subarray(0, limit);
    rest = rest.subarray(taken.length);
    position += taken.length;
    return taken;
  }

  async function takeUpTo(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let missing = length; missing > 0;) {
      const taken = await piece(missing);
      if (taken === null) break;
      pieces.push(taken);
      missing -= taken.length;
    }
    return Buffer.concat(pieces);
  }

  async function skipTo(target: number): Promise<void> {
    while (position < target && (await piece(target - position)) !== null);
  }

  return { position: () => position, skipTo, takeUpTo };
}

/** For a host that tells no length. */
async function count(stream: IncomingMessage): Promise<number> {
  return guarded(async () => {
    const cursor = cursorOf(stream);
    await cursor.skipTo(Number.MAX_SAFE_INTEGER);
    return cursor.position();
  });
}

/** `range` is start and length. Follows redirects, each target checked anew by the guarded client. */
async function request(
  http: HttpClient,
  url: string,
  range: [number, number] | null,
  timeoutMs: number,
): Promise<{ response: OpenResponse; url: string }> {
  const headers = {
    // A compressed answer has neither the length nor the ranges of the file.
    'accept-encoding': 'identity',
    ...(range === null ? {} : { range: `bytes=${range[0]}-${range[0] + range[1] - 1}` }),
  };
  let target = url;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const response = await guarded(() => http.open({ method: 'GET', url: target, headers, timeoutMs }));
    const location = response.headers['location'];
    if (response.status < 300 || response.status > 399 || location === undefined) {
      return { response: usable(response), url: target };
    }
    response.stream.destroy();
    if (!URL.canParse(location, target)) break;
    target = new URL(location, target).href;
  }
  throw mediaRejected('The media URL redirects too often');
}

function usable(response: OpenResponse): OpenResponse {
  const { status, headers } = response;
  const encoding = headers['content-encoding'] ?? 'identity';
  if ((status === 200 || status === 206) && encoding === 'identity') return response;
  response.stream.destroy();
  if (status === 200 || status === 206)
    throw unavailable(`The media host sent ${encoding} though asked not to`);
  if (status === 429 || status === 408 || status >= 500)
    throw unavailable(`The media host answered ${status}`);
  if (status === 416) throw emptyFile();
  throw mediaRejected(`The media URL answered ${status}`);
}

function emptyFile(): PlatformError {
  return mediaRejected('The media URL gives an empty file');
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    const words = error instanceof Error ? error.message : String(error);
    if (error instanceof HttpFailure && error.reason === 'blocked') throw mediaRejected(words);
    throw unavailable(`The media host failed: ${words}`);
  }
}

function complete(bytes: Buffer, length: number): Buffer {
  if (bytes.length === length) return bytes;
  throw unavailable(`The media host sent ${bytes.length} of ${length} bytes`);
}

function rangeTotal({ headers }: OpenResponse): number | null {
  const total = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1];
  return total === undefined ? null : Number(total);
}

function rangeStart({ headers }: OpenResponse): number | null {
  const start = /^bytes (\d+)-/.exec(headers['content-range'] ?? '')?.[1];
  return start === undefined ? null : Number(start);
}

function contentLength({ headers }: OpenResponse): number | null {
  const length = headers['content-length'];
  return length === undefined ? null : Number(length);
}

export function mediaRejected(message: string): PlatformError {
  return new PlatformError({ kind: 'rejected', code: 'MEDIA_REJECTED', message });
}

function unavailable(message: string): PlatformError {
  return new PlatformError({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message });
}
