import type { PartRange } from '../kit/parts.ts';
import type { Upload } from './state.ts';

/** A larger video must be sent in several chunks; TikTok's limit is 64 MB, whichever megabyte it means. */
const MAX_SINGLE_BYTES = 64_000_000;

type Plan = Pick<Upload, 'size' | 'chunk_bytes' | 'chunks'>;

/** Returns how a video is sent. The number of chunks is rounded down: the last one has the rest too. */
export function planChunks(size: number, chunkBytes: number): Plan {
  return size <= MAX_SINGLE_BYTES
    ? { size, chunk_bytes: size, chunks: 1 }
    : { size, chunk_bytes: chunkBytes, chunks: Math.floor(size / chunkBytes) };
}

/** Where the last chunk starts. */
export const lastChunkStart = ({ chunk_bytes, chunks }: Plan) => (chunks - 1) * chunk_bytes;

/** Returns the chunk that starts at an offset. */
export const chunkAt =
  ({ size, chunk_bytes, chunks }: Plan) =>
  (offset: number): PartRange => {
    const index = Math.min(Math.floor(offset / chunk_bytes), chunks - 1);
    const start = index * chunk_bytes;
    return { index, start, end: index === chunks - 1 ? size : start + chunk_bytes };
  };

/** Returns where to continue when TikTok has this many bytes: at the start of a chunk, or at the end of the file. */
export function resumeAt(plan: Plan, bytes: number): number {
  return bytes >= plan.size ? plan.size : chunkAt(plan)(bytes).start;
}
