import type { IncomingMessage } from 'node:http';
import { toHttpFailure } from '../../net/failure.ts';
import { PlatformError } from '../../platforms/contract/error.ts';
import { BudgetExceeded } from '../probe/budget.ts';
import { hostUnavailable } from './host-errors.ts';
import { createStreamCursor } from './stream-cursor.ts';

/** Cameras write a video's index behind its pictures; that of hours of video has a few megabytes. */
const TAIL_BYTES = 16 * 1024 ** 2;
/** A larger file is not read through only for its end. */
const MAX_BYTES = 512 * 1024 ** 2;

/**
 * Returns a reader of the last megabytes of a file whose host ignores ranges: it reads through the file once. The reader
 * throws BudgetExceeded for a piece further ahead and for a file that takes too long, PlatformError where the host sends
 * fewer bytes than it declares.
 */
export function tailReader(
  size: number,
  open: () => Promise<IncomingMessage>,
): (start: number, end: number) => Promise<Buffer> {
  const from = Math.max(0, size - TAIL_BYTES);
  let tail: Promise<Buffer> | null = null;
  return async (start, end) => {
    if (start < from || size > MAX_BYTES)
      throw new BudgetExceeded('The media host does not support range requests');
    tail ??= readFrom(from, size, open);
    return (await tail).subarray(start - from, end - from);
  };
}

async function readFrom(from: number, size: number, open: () => Promise<IncomingMessage>): Promise<Buffer> {
  const stream = await open();
  try {
    const cursor = createStreamCursor(stream);
    await cursor.skipTo(from);
    const bytes = await cursor.readUpTo(size - from);
    if (bytes.length === size - from) return bytes;
    throw hostUnavailable(`The media host sent ${cursor.position()} of ${size} bytes`);
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    const { reason, message } = toHttpFailure(error, true);
    if (reason === 'timeout') throw new BudgetExceeded('The media host is too slow to read the whole file');
    throw hostUnavailable(`The media host failed: ${message}`);
  } finally {
    stream.destroy();
  }
}
