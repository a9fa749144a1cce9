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

/** Thrown instead of reading more of a file than its inspection is worth. */
export class ReadBudgetExceeded extends Error {
  override readonly name = 'ReadBudgetExceeded';
}

/** Few large reads are cheaper than many small ones. */
const BLOCK_BYTES = 64 * 1024;

/**
 * Returns the file with `head` already read. Everything else is read in blocks, `budget` bytes at most; after that
 * `read` throws ReadBudgetExceeded.
 */
export function withReadBudget(file: FileAccess, head: Uint8Array, budget: number): FileAccess {
  let remaining = budget;
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
      remaining -= readTo - from;
      if (remaining < 0) throw new ReadBudgetExceeded('The read budget of this file is exhausted');
      block = { start: from, bytes: await file.read(from, readTo) };
      return block.bytes.subarray(0, end - from);
    },
  };
}

const CHUNK_BYTES = 8 * 1024 ** 2;
/** Longer than any marker that is searched for, so that none is missed between two chunks. */
export const OVERLAP_BYTES = 64;

/** Tells whether `matches` is true for any chunk of a file from `begin` on. Chunks overlap by OVERLAP_BYTES. */
export async function someChunk(
  file: SizedFile,
  begin: number,
  matches: (chunk: Buffer) => boolean,
): Promise<boolean> {
  for (let start = begin; start < file.size; start += CHUNK_BYTES - OVERLAP_BYTES) {
    const chunk = await file.read(start, Math.min(file.size, start + CHUNK_BYTES));
    if (matches(Buffer.from(chunk))) return true;
  }
  return false;
}
