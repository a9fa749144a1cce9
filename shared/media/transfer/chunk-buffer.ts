/** Collects the chunks of a stream until there are enough for a part. */
export interface ChunkBuffer {
  add: (chunk: Buffer) => void;
  /** Bytes in the buffer. */
  size: () => number;
  /** Bytes ever added. */
  total: () => number;
  /** Returns the content without removing it. */
  peek: () => Buffer;
  /** Returns and removes the content. */
  take: () => Buffer;
}

export function createChunkBuffer(): ChunkBuffer {
  let chunks: Buffer[] = [];
  let size = 0;
  let total = 0;
  return {
    add: chunk => {
      chunks.push(chunk);
      size += chunk.byteLength;
      total += chunk.byteLength;
    },
    size: () => size,
    total: () => total,
    peek: () => Buffer.concat(chunks),
    take: () => {
      const content = Buffer.concat(chunks);
      chunks = [];
      size = 0;
      return content;
    },
  };
}
