import { setTimeout as sleep } from 'node:timers/promises';
import {
  contentRange,
  isCompressed,
  strongEtag,
  UNCOMPRESSED,
  wholeNumber,
} from '../../../shared/media/fetch/range-request.ts';
import { createStreamCursor, type StreamCursor } from '../../../shared/media/fetch/stream-cursor.ts';
import { openFollowing } from '../../../shared/net/follow.ts';
import { HttpFailure, type HttpClient } from '../../../shared/net/http.ts';
import { HOUR } from '../../../shared/time/instant.ts';
import { ItemError } from '../item-error.ts';

/** A user's file at its host, read at the speed at which it plays. */
export interface ByteSource {
  /** Null where the host does not say. */
  size: number | null;
  /** False where the host ignores ranges. */
  canSeek: boolean;
  /** Returns the next bytes, `length` at most; null at the end. Throws ItemError. */
  read: (length: number) => Promise<Buffer | null>;
  position: () => number;
  seek: (position: number) => void;
  /** Why reading failed for good; null while it did not. */
  failure: () => ItemError | null;
  close: () => void;
}

interface Connection {
  cursor: StreamCursor;
  size: number | null;
  ranged: boolean;
  version: string | null;
  close: () => void;
}

/** A connection may last as long as its item. Servers cut idle ones; reading then resumes by a range. */
const CONNECTION_MS = 6 * HOUR;
/** Pauses before each retry. Progress starts the row again. */
const PAUSES_MS: readonly number[] = [250, 500, 1000, 2000, 4000];
/** To read through a short distance is cheaper than another request. */
const SHORT_JUMP = 256 * 1024;

/** Opens a media URL with the guarded client. Throws ItemError. */
export async function openByteSource(
  http: Pick<HttpClient, 'open'>,
  url: string,
  pauses = PAUSES_MS,
): Promise<ByteSource> {
  const first = await retried(pauses, () => connect(http, url, 0, null));
  const { size, version } = first;
  let connection: Connection | null = first;
  let position = 0;
  let failure: ItemError | null = null;

  function drop(): void {
    connection?.close();
    connection = null;
  }

  async function readOnce(length: number): Promise<Buffer | null> {
    try {
      connection ??= await connect(http, url, position, version);
      await connection.cursor.skipTo(position);
      const bytes = await connection.cursor.next(length);
      if (bytes === null && position < (size ?? 0)) throw broken('The host closed the connection too early');
      position += bytes?.length ?? 0;
      return bytes;
    } catch (error) {
      drop();
      throw error;
    }
  }

  async function read(length: number): Promise<Buffer | null> {
    if (size !== null && position >= size) return null;
    try {
      return await retried(pauses, () => readOnce(length));
    } catch (error) {
      failure = toItemError(error);
      throw failure;
    }
  }

  function seek(target: number): void {
    const distance = target - (connection?.cursor.position() ?? position);
    position = target;
    if (distance < 0 || distance > SHORT_JUMP) drop();
  }

  const getters = { position: () => position, failure: () => failure };
  return { size, canSeek: first.ranged && size !== null, read, seek, close: drop, ...getters };
}

async function connect(
  http: Pick<HttpClient, 'open'>,
  url: string,
  at: number,
  version: string | null,
): Promise<Connection> {
  const condition = at > 0 && version !== null ? { 'if-range': version } : {};
  const answer = await openFollowing(http, {
    method: 'GET',
    url,
    headers: { ...UNCOMPRESSED, range: `bytes=${at}-`, ...condition },
    timeoutMs: CONNECTION_MS,
  });
  const { status, headers, stream } = answer;
  const close = () => void stream.destroy();
  try {
    assertFile(status);
    if (isCompressed(answer)) throw new ItemError('UNREACHABLE', 'The host compresses the file');
    const range = status === 206 ? contentRange(answer) : null;
    if ((range?.start ?? 0) !== at)
      throw new ItemError('UNREACHABLE', 'The host cannot resume, or the file has changed');
    return {
      cursor: createStreamCursor(stream, at),
      size: range ? range.total : wholeNumber(headers['content-length']),
      ranged: range !== null,
      version: strongEtag(headers['etag']),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function assertFile(status: number): void {
  if (status === 200 || status === 206) return;
  if (status === 408 || status === 429 || status >= 500) throw broken(`The host answered ${status}`);
  if (status === 416) throw new ItemError('NOT_PLAYABLE', 'The file is empty');
  throw new ItemError('HTTP_STATUS', `The host answered ${status}`);
}

/** Repeats `work` after a transient failure, once for each pause. Throws ItemError. */
async function retried<T>(pauses: readonly number[], work: () => Promise<T>): Promise<T> {
  for (const pause of pauses) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error)) throw toItemError(error);
      await sleep(pause);
    }
  }
  return work().catch((error: unknown) => {
    throw toItemError(error);
  });
}

const broken = (message: string) => new HttpFailure('network', message, true);

const isTransient = (error: unknown) =>
  error instanceof HttpFailure ? error.reason !== 'blocked' : !(error instanceof ItemError);

function toItemError(error: unknown): ItemError {
  if (error instanceof ItemError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const isBlocked = error instanceof HttpFailure && error.reason === 'blocked';
  return new ItemError(isBlocked ? 'BLOCKED' : 'UNREACHABLE', message);
}
