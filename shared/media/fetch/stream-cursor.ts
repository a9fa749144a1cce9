import type { IncomingMessage } from 'node:http';

/** Reads a stream in pieces of any length, forwards only. */
export interface StreamCursor {
  position: () => number;
  skipTo: (position: number) => Promise<void>;
  /** Returns what arrives next, at most `limit` bytes; null at the end of the stream. */
  next: (limit: number) => Promise<Buffer | null>;
  /** Returns fewer than `length` bytes only at the end of the stream. */
  readUpTo: (length: number) => Promise<Buffer>;
}

/** `start`: the position of the stream's first byte in its file. */
export function createStreamCursor(stream: IncomingMessage, start = 0): StreamCursor {
  const chunks = stream.iterator({ destroyOnReturn: false });
  let position = start;
  let rest: Buffer = Buffer.alloc(0);

  async function next(limit: number): Promise<Buffer | null> {
    if (rest.length === 0) {
      const chunk: IteratorResult<unknown> = await chunks.next();
      if (chunk.done || !Buffer.isBuffer(chunk.value)) return null;
      rest = chunk.value;
    }
    const piece = rest.subarray(0, limit);
    rest = rest.subarray(piece.length);
    position += piece.length;
    return piece;
  }

  async function readUpTo(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let missing = length; missing > 0;) {
      const piece = await next(missing);
      if (piece === null) break;
      pieces.push(piece);
      missing -= piece.length;
    }
    return Buffer.concat(pieces);
  }

  async function skipTo(target: number): Promise<void> {
    while (position < target && (await next(target - position)) !== null);
  }

  return { position: () => position, skipTo, next, readUpTo };
}
