import type { IncomingMessage } from 'node:http';

/** Reads a stream in pieces of any length, forwards only. */
export interface StreamCursor {
  position: () => number;
  skipTo: (position: number) => Promise<void>;
  /** Returns fewer than `length` bytes only at the end of the stream. */
  readUpTo: (length: number) => Promise<Buffer>;
}

export function createStreamCursor(stream: IncomingMessage): StreamCursor {
  const chunks = stream.iterator({ destroyOnReturn: false });
  let position = 0;
  let rest: Buffer = Buffer.alloc(0);

  async function nextPiece(limit: number): Promise<Buffer | null> {
    if (rest.length === 0) {
      const next: IteratorResult<unknown> = await chunks.next();
      if (next.done || !Buffer.isBuffer(next.value)) return null;
      rest = next.value;
    }
    const piece = rest.subarray(0, limit);
    rest = rest.subarray(piece.length);
    position += piece.length;
    return piece;
  }

  async function readUpTo(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let missing = length; missing > 0;) {
      const piece = await nextPiece(missing);
      if (piece === null) break;
      pieces.push(piece);
      missing -= piece.length;
    }
    return Buffer.concat(pieces);
  }

  async function skipTo(target: number): Promise<void> {
    while (position < target && (await nextPiece(target - position)) !== null);
  }

  return { position: () => position, skipTo, readUpTo };
}
