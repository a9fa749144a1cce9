/** A file to jump about in, wherever it lies. */
export interface FileAccess {
  /** Bytes; null where nobody tells. */
  size: number | null;
  /** The bytes `[start, end)`, or as many as there are. */
  read: (start: number, end: number) => Promise<Uint8Array>;
  /** What its origin calls it: only for words. */
  said_type?: string;
}

/** A file whose size is known. */
export type Whole = FileAccess & { size: number };

/** Bytes that are all here. */
export function inMemory(bytes: Uint8Array): Whole {
  return { size: bytes.byteLength, read: (start, end) => Promise.resolve(bytes.subarray(start, end)) };
}

/** The file needs more reading than a look at it is worth. */
export class ReadBudgetExceeded extends Error {
  override readonly name = 'TooMuchReading';
}

/** Few large reads are cheaper than many small ones. */
const BLOCK_BYTES = 64 * 1024;

/**
 * The file with its beginning at hand, read in blocks, and no further than `budget` bytes beyond it: then
 * TooMuchReading.
 */
export function withReadBudget(file: FileAccess, head: Uint8Array, budget: number): FileAccess {
  let left = budget;
  let block = { start: 0, bytes: head };
  const has = ({ start, bytes }: typeof block, from: number, to: number) =>
    from >= start && to <= start + bytes.byteLength;
  const first = block;
  return {
    ...file,
    read: async (from, to) => {
      const end = file.size === null ? to : Math.min(to, file.size);
      const known = [first, block].find(each => has(each, from, end));
      if (known) return known.bytes.subarray(from - known.start, end - known.start);
      const reach = Math.max(end, Math.min(from + BLOCK_BYTES, file.size ?? end));
      left -= reach - from;
      if (left < 0) throw new ReadBudgetExceeded('The file needs too much reading');
      block = { start: from, bytes: await file.read(from, reach) };
      return block.bytes.subarray(0, end - from);
    },
  };
}

const STEP_BYTES = 8 * 1024 ** 2;
/** Longer than any mark that is looked for. */
export const OVERLAP_BYTES = 64;

/** Whether any part of a file from `begin` on passes: read piece by piece, each with the end of the one before. */
export async function anyPart(
  file: Whole,
  begin: number,
  passes: (part: Buffer) => boolean,
): Promise<boolean> {
  for (let start = begin; start < file.size; start += STEP_BYTES - OVERLAP_BYTES) {
    const part = await file.read(start, Math.min(file.size, start + STEP_BYTES));
    if (passes(Buffer.from(part))) return true;
  }
  return false;
}
