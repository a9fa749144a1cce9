import type { SizedFile } from './file-access.ts';

/** Returns the byte at an offset: at once where it is in memory, undefined beyond the end of the file. */
export type ByteReader = (at: number) => number | undefined | Promise<number | undefined>;

/** Large, because a file at a host costs a request for each block. */
const BLOCK_BYTES = 1024 ** 2;

/** Reads single bytes in ascending order, block by block. */
export function createByteReader(file: SizedFile): ByteReader {
  let start = 0;
  let block: Uint8Array = new Uint8Array();
  return at => {
    if (at >= start && at < start + block.byteLength) return block[at - start];
    if (at >= file.size) return undefined;
    return file.read(at, Math.min(file.size, at + BLOCK_BYTES)).then(bytes => {
      start = at;
      block = bytes;
      return bytes[0];
    });
  };
}
