import type { Budget } from './budget.ts';

/** Random access to the bytes of a file, wherever it is stored. */
export interface FileAccess {
  /** Bytes; null where the host does not say. */
  size: number | null;
  /** Returns the bytes `[start, end)`, fewer at the end of the file. */
  read: (start: number, end: number) => Promise<Uint8Array>;
  /** The `Content-Type` its host declares. Never trusted: it only improves error messages. */
  declared_type?: string;
}

/** A file whose size is known. */
export type SizedFile = FileAccess & { size: number };

export function fileFromBytes(bytes: Uint8Array): SizedFile {
  return { size: bytes.byteLength, read: (start, end) => Promise.resolve(bytes.subarray(start, end)) };
}

/** Few large reads are cheaper than many small ones. */
const BLOCK_BYTES = 64 * 1024;

/** Returns the file with `head` already read. Everything else is read in blocks at the expense of the budget. */
export function withBudget<F extends FileAccess>(file: F, head: Uint8Array, budget: Budget): F {
  let block = { start: 0, bytes: head };
  const covers = ({ start, bytes }: typeof block, from: number, to: number) =>
    from >= start && to <= start + bytes.byteLength;
  const first = block;
  return {
    ...file,
    read: async (from, to) => {
      const end = file.size === null ? to : Math.min(to, file.size);
      const cached = [first, block].find(each => covers(each, from, end));
      if (cached) return cached.bytes.subarray(from - cached.start, end - cached.start);
      const readTo = Math.max(end, Math.min(from + BLOCK_BYTES, file.size ?? end));
      budget.spend(readTo - from);
      block = { start: from, bytes: await file.read(from, readTo) };
      return block.bytes.subarray(0, end - from);
    },
  };
}

const CHUNK_BYTES = 8 * 1024 ** 2;
/** Longer than any marker that is searched for, so that none is missed between two chunks. */
const OVERLAP_BYTES = 512;

/** Yields the file from `begin` on in chunks that overlap by OVERLAP_BYTES, with the offset of each. */
export async function* chunksOf(
  file: SizedFile,
  begin: number,
): AsyncGenerator<{ start: number; chunk: Buffer; isLast: boolean }> {
  for (let start = begin; start < file.size; start += CHUNK_BYTES - OVERLAP_BYTES) {
    const end = Math.min(file.size, start + CHUNK_BYTES);
    const chunk = Buffer.from(await file.read(start, end));
    yield { start, chunk, isLast: end === file.size };
    if (end === file.size) return;
  }
}

/** Tells whether `marker` occurs in a file from `begin` on. */
export async function hasMarker(file: SizedFile, begin: number, marker: Buffer): Promise<boolean> {
  for await (const { chunk } of chunksOf(file, begin)) if (chunk.includes(marker)) return true;
  return false;
}
