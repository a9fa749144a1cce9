import type { IncomingMessage } from 'node:http';
import { HttpFailure } from './failure.ts';

/** How slow a host that a user chose may be. */
export interface Pace {
  /** How long a response may send nothing in all, beyond the time that its bytes are worth. Milliseconds. */
  grace_ms: number;
  bytes_per_second: number;
}

export const PACE: Pace = { grace_ms: 5_000, bytes_per_second: 32 * 1024 };

/**
 * Ends a response that keeps its reader waiting: without this, a host that sends a byte a second would hold its reader
 * until the time-out. Time in which the reader itself is busy does not count.
 */
export function keepPace(stream: IncomingMessage, pace: Pace): void {
  const { grace_ms, bytes_per_second } = pace;
  const before = stream.socket.bytesRead;
  const tickMs = Math.min(500, grace_ms / 2);
  let waitedMs = 0;
  const timer = setInterval(() => {
    const isReaderBusy = stream.readableLength > 0 || stream.complete;
    if (!isReaderBusy) waitedMs += tickMs;
    const received = stream.socket.bytesRead - before;
    if (waitedMs <= grace_ms + (received / bytes_per_second) * 1000) return;
    stream.destroy(
      new HttpFailure('timeout', `The host sends less than ${bytes_per_second} bytes a second`, true),
    );
  }, tickMs).unref();
  stream.once('close', () => clearInterval(timer));
}
