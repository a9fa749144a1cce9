import type { StoredMedia } from '../../contract/sandbox.ts';
import { gifFrames } from '../../kit/sandbox/gif.ts';

const GIF = { width: 1280, height: 1080, frames: 350, pixels: 300_000_000 };
const VIDEO = { minSide: 32, maxWidth: 1280, maxHeight: 1024, maxAspect: 3, minSeconds: 0.5, maxRate: 60.5 };

/**
 * Returns why X fails to process a GIF or video; null if it is valid. Facts that cannot be read from the file are not
 * checked.
 *
 * @see https://docs.x.com/x-api/media/quickstart/best-practices
 */
export function mediaError(category: string, file: StoredMedia, bytes: Uint8Array): string | null {
  return category === 'tweet_gif' ? gifError(file, bytes) : videoError(file);
}

function gifError({ type, width = 0, height = 0 }: StoredMedia, bytes: Uint8Array): string | null {
  if (type !== 'image/gif') return 'The file is not a GIF';
  if (width > GIF.width || height > GIF.height) return `GIF resolution exceeds ${GIF.width}x${GIF.height}`;
  const frames = gifFrames(bytes);
  if (frames > GIF.frames) return `GIF has more than ${GIF.frames} frames`;
  return frames * width * height > GIF.pixels ? 'GIF has too many pixels' : null;
}

function videoError(file: StoredMedia): string | null {
  const { type, width, height, duration, video_codec, audio_codec, frame_rate } = file;
  if (!type.startsWith('video/')) return 'The file is not a video';
  if (duration !== undefined && width === undefined) return 'The video has no picture';
  if (video_codec !== undefined && video_codec !== 'avc') return `Unsupported video codec ${video_codec}`;
  if (audio_codec !== undefined && audio_codec !== 'aac') return `Unsupported audio codec ${audio_codec}`;
  if (duration !== undefined && duration < VIDEO.minSeconds) return 'The video is shorter than 0.5 seconds';
  if ((frame_rate ?? 0) > VIDEO.maxRate) return 'The video has more than 60 frames per second';
  return width === undefined || height === undefined ? null : dimensionError(width, height);
}

function dimensionError(width: number, height: number): string | null {
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  if (short < VIDEO.minSide) return `The video is smaller than ${VIDEO.minSide} pixels`;
  if (long > VIDEO.maxWidth || short > VIDEO.maxHeight) {
    return `The video resolution exceeds ${VIDEO.maxWidth}x${VIDEO.maxHeight}`;
  }
  return long / short > VIDEO.maxAspect ? 'The aspect ratio of the video must be between 1:3 and 3:1' : null;
}
