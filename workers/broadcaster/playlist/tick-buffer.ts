import type { Readable } from 'node:stream';
import { COPIED_HEADER_BYTES, copiedTickBytes, MAX_PICTURE_BYTES } from '../copied-tick.ts';
import { soundBytes, tickBytes, type PictureFormat } from '../format.ts';

/** Ticks that a decoder has made ahead of time. */
export interface TickBuffer {
  /** Removes and returns the next tick; null when none is complete. */
  take: () => Buffer | null;
  has: () => boolean;
  isFull: () => boolean;
  /** Bytes received so far. */
  received: () => number;
}

/** How a stream is cut into ticks. */
export interface TickLayout {
  /** Bytes at the beginning of a tick that tell its length. */
  header: number;
  /** Returns the length of a tick in bytes. */
  length: (header: Buffer) => number;
  /** A longer tick is not accepted. */
  max: number;
}

export const decodedLayout = (format: PictureFormat): TickLayout => ({
  header: 0,
  length: () => tickBytes(format),
  max: tickBytes(format),
});

export const copiedLayout = (format: PictureFormat): TickLayout => ({
  header: COPIED_HEADER_BYTES,
  length: header => copiedTickBytes(header, format),
  max: COPIED_HEADER_BYTES + MAX_PICTURE_BYTES + soundBytes(format),
});

/** Large pictures fill this with a few ticks. */
const MAX_BYTES = 16 * 1024 ** 2;
/** Enough to bridge a pause of a busy machine. */
const MAX_TICKS = 60;
/** Of any size. */
const MIN_TICKS = 2;

/**
 * Cuts a stream into ticks. While the buffer is full it does not read, and so makes the decoder wait. A stream with a tick
 * that is too long is destroyed.
 */
export function createTickBuffer(stream: Readable, layout: TickLayout): TickBuffer {
  const chunks: Buffer[] = [];
  const ticks: Buffer[] = [];
  /** The beginning of the next tick, once it is known. */
  let header: Buffer | null = null;
  /** Bytes in chunks, in chunks and ticks, and in all. */
  let loose = 0;
  let size = 0;
  let received = 0;
  const isFull = () => ticks.length >= MAX_TICKS || (ticks.length >= MIN_TICKS && size >= MAX_BYTES);

  stream.on('data', (bytes: Buffer) => {
    chunks.push(bytes);
    loose += bytes.length;
    size += bytes.length;
    received += bytes.length;
    cut();
    if (isFull()) stream.pause();
  });

  function cut(): void {
    for (;;) {
      if (header === null && loose >= layout.header) header = pull(layout.header);
      if (header === null) return;
      const length = layout.length(header);
      if (length > layout.max) {
        stream.destroy();
        return;
      }
      const rest = length - header.length;
      if (loose < rest) return;
      ticks.push(header.length === 0 ? pull(rest) : Buffer.concat([header, pull(rest)]));
      header = null;
    }
  }

  /** Removes and returns bytes of the chunks, which have so many. */
  function pull(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let filled = 0; filled < length;) {
      const chunk = chunks[0] ?? Buffer.alloc(0);
      const count = chunk.copy(bytes, filled);
      filled += count;
      if (count === chunk.length) chunks.shift();
      else chunks[0] = chunk.subarray(count);
    }
    loose -= length;
    return bytes;
  }

  function take(): Buffer | null {
    const tick = ticks.shift();
    if (!tick) return null;
    size -= tick.length;
    if (!isFull()) stream.resume();
    return tick;
  }

  return { take, has: () => ticks.length > 0, isFull, received: () => received };
}
