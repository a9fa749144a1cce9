import type { Readable } from 'node:stream';

/** Ticks that a decoder has made ahead of time. */
export interface TickBuffer {
  /** Removes and returns the next tick; null when none is complete. */
  take: () => Buffer | null;
  has: () => boolean;
  isFull: () => boolean;
  /** Bytes received so far. */
  received: () => number;
}

/** Large pictures fill this with a few ticks. */
const MAX_BYTES = 16 * 1024 ** 2;
/** Enough to bridge a pause of a busy machine. */
const MAX_TICKS = 60;

/** Cuts a stream into ticks. While the buffer is full it does not read, and so makes the decoder wait. */
export function createTickBuffer(stream: Readable, tickBytes: number): TickBuffer {
  const chunks: Buffer[] = [];
  let size = 0;
  let received = 0;
  const limit = Math.max(Math.min(MAX_BYTES, MAX_TICKS * tickBytes), 2 * tickBytes);
  const isFull = () => size >= limit;
  const has = () => size >= tickBytes;
  stream.on('data', (bytes: Buffer) => {
    chunks.push(bytes);
    size += bytes.length;
    received += bytes.length;
    if (isFull()) stream.pause();
  });

  function take(): Buffer | null {
    if (!has()) return null;
    const tick = Buffer.allocUnsafe(tickBytes);
    for (let filled = 0; filled < tickBytes;) {
      const chunk = chunks[0] ?? Buffer.alloc(0);
      const count = chunk.copy(tick, filled);
      filled += count;
      if (count === chunk.length) chunks.shift();
      else chunks[0] = chunk.subarray(count);
    }
    size -= tickBytes;
    if (!isFull()) stream.resume();
    return tick;
  }

  return { take, has, isFull, received: () => received };
}
