import type { IncomingMessage } from 'node:http';

/** A stream that is read piece by piece, forwards only. */
export interface Cursor {
  position: () => number;
  skipTo: (position: number) => Promise<void>;
  /** Fewer bytes only at the end. */
  takeUpTo: (length: number) => Promise<Buffer>;
}

export function cursorOf(stream: IncomingMessage): Cursor {
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
