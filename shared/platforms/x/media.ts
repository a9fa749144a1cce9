import type { MediaFormat } from '../../model/media.ts';
import { PlatformError } from '../contract/error.ts';
import type { UserFile } from '../contract/media-files.ts';
import type { StepContext } from '../contract/publisher.ts';
import type { MediaCategory } from './media-calls.ts';
import { PICTURES } from './rules.ts';

const VIDEO_TYPES: Readonly<Partial<Record<MediaFormat, string>>> = {
  MP4: 'video/mp4',
  MOV: 'video/quicktime',
};

/** A file in a form that X accepts. */
export interface Media {
  category: MediaCategory;
  type: string;
  size: number;
  read: (start: number, length: number) => Promise<Uint8Array>;
  close: () => Promise<void>;
}

/** Opens a file of a post. Throws PlatformError `rejected` for a file that X does not accept, naming limit and value. */
export async function openMedia(
  { files, job }: StepContext<unknown>,
  url: string,
  timeoutMs: number,
): Promise<Media> {
  const file = await files.open(url, timeoutMs);
  if (job.post_type !== 'image') return videoOf(file);
  try {
    return await imageOf(file);
  } finally {
    await file.close();
  }
}

function videoOf({ facts, size, read, close }: UserFile): Media {
  return { category: 'tweet_video', type: VIDEO_TYPES[facts.format] ?? facts.type, size, read, close };
}

async function imageOf(file: UserFile): Promise<Media> {
  const { bytes, type, animated } = await file.fitted(PICTURES);
  return {
    category: type === 'image/gif' && animated ? 'tweet_gif' : 'tweet_image',
    type,
    size: bytes.byteLength,
    read: (start, length) => Promise.resolve(bytes.subarray(start, start + length)),
    close: () => Promise.resolve(),
  };
}

export function mediaRejected(message: string): PlatformError {
  return new PlatformError({ kind: 'rejected', code: 'MEDIA_REJECTED', message });
}
