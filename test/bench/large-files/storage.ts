import { createHash } from 'node:crypto';
import { probe } from '../../../local/sandbox/media/probe.ts';
import { chunks } from '../../../local/sandbox/media/content.ts';
import type { SandboxHost, StoredMedia } from '../../../shared/platforms/contract/sandbox.ts';
import type { LargeVideo } from './video.ts';

/**
 * Storage of a platform that keeps no file: it counts and hashes what arrives. What a file is, it determines from the clip
 * with which the video begins.
 */
export function countingStorage(video: LargeVideo): Pick<SandboxHost, 'storeMedia' | 'openUpload'> {
  function openUpload() {
    const hash = createHash('sha256');
    const beginning: Uint8Array[] = [];
    let size = 0;
    return {
      write: (bytes: Uint8Array, start: number) => {
        // Only the repetition of a part may lie behind the end.
        if (start + bytes.byteLength <= size && isPieceOf(video, bytes, start)) return;
        if (start !== size) throw new Error(`A piece arrived at ${start}, not at ${size}`);
        if (size < video.clip.length)
          beginning.push(Buffer.from(bytes.subarray(0, video.clip.length - size)));
        hash.update(bytes);
        size += bytes.byteLength;
      },
      store: async (): Promise<StoredMedia> => ({
        ...(await probe(Buffer.concat(beginning))),
        sha256: hash.digest('hex'),
        size,
      }),
      discard: () => undefined,
    };
  }
  return {
    openUpload,
    storeMedia: async bytes => {
      const upload = openUpload();
      upload.write(bytes, 0);
      return upload.store();
    },
  };
}

function isPieceOf({ pieces }: LargeVideo, bytes: Uint8Array, start: number): boolean {
  let at = 0;
  for (const chunk of chunks(pieces, start, start + bytes.byteLength)) {
    if (Buffer.compare(chunk, bytes.subarray(at, at + chunk.byteLength)) !== 0) return false;
    at += chunk.byteLength;
  }
  return true;
}
