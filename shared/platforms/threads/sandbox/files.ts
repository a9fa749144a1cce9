import type { StoredMedia } from '../../contract/sandbox.ts';
import { GB, MB } from '../../kit/sizes.ts';
import { fetchLikeMeta } from '../../families/meta/sandbox/fetch-media.ts';
import { graphError } from '../../families/meta/sandbox/responses.ts';
import type { Container, ThreadsState } from './state.ts';

const IMAGE = { types: ['image/jpeg', 'image/png'], max_bytes: 8 * MB, max_ratio: 10 };
const VIDEO = {
  types: ['video/mp4', 'video/quicktime'],
  max_bytes: GB,
  max_seconds: 300,
  max_width: 1920,
  min_ratio: 0.01,
  max_ratio: 10,
  min_rate: 22.5,
  max_rate: 60.5,
  max_bits_per_second: 100_000_000,
};
const FETCH_MS = 10_000;

type Fetched = Pick<Container, 'file' | 'error'>;

/** Fetches the image of a container. Ends the request when it cannot be fetched or used. */
export async function fetchImage(state: ThreadsState, url: string): Promise<Fetched> {
  const file = await fetchFile(state, url, IMAGE.max_bytes);
  const { type = '', width = 0, height = 0 } = file ?? {};
  const ratio = Math.max(width, height) / Math.min(width, height);
  if (!file || !IMAGE.types.includes(type) || ratio > IMAGE.max_ratio) return notFetched(url);
  return { file, error: null };
}

function notFetched(url: string): never {
  return graphError({
    code: 9004,
    subcode: 2_207_052,
    is_transient: false,
    message: 'Only photo or video can be accepted as media type.',
    title: 'Media download has failed.',
    user_message: `The media could not be fetched from this URI: ${url}`,
  });
}

/** Fetches the video of a container; what is wrong with it becomes the container's error. */
export async function fetchVideo(state: ThreadsState, url: string): Promise<Fetched> {
  const file = await fetchFile(state, url, VIDEO.max_bytes);
  return { file, error: file ? videoError(file) : 'FAILED_DOWNLOADING_VIDEO' };
}

function videoError(file: StoredMedia): string | null {
  const { type, size, width, height, duration = 0, video_codec, audio_codec, frame_rate } = file;
  if (!VIDEO.types.includes(type) || width === undefined || height === undefined) {
    return 'FAILED_PROCESSING_VIDEO';
  }
  const ratio = width / height;
  const rate = frame_rate ?? VIDEO.max_rate;
  const checks: [boolean, string][] = [
    [['avc', 'hevc'].includes(video_codec ?? ''), 'FAILED_PROCESSING_VIDEO'],
    [['aac', undefined].includes(audio_codec), 'FAILED_PROCESSING_AUDIO'],
    [duration > 0 && duration <= VIDEO.max_seconds, 'INVALID_DURATION'],
    [rate >= VIDEO.min_rate && rate <= VIDEO.max_rate, 'INVALID_FRAME_RATE'],
    [width <= VIDEO.max_width, 'FAILED_PROCESSING_VIDEO'],
    [ratio >= VIDEO.min_ratio && ratio <= VIDEO.max_ratio, 'INVALID_ASPEC_RATIO'],
    [(size * 8) / duration <= VIDEO.max_bits_per_second, 'INVALID_BIT_RATE'],
  ];
  return checks.find(([holds]) => !holds)?.[1] ?? null;
}

/** Fetches a file as Meta's servers do; null where that fails or the file is too large. */
async function fetchFile({ host }: ThreadsState, url: string, maxBytes: number): Promise<StoredMedia | null> {
  const fetched = await fetchLikeMeta(host, url);
  return fetched.type === 'fetched' && fetched.file.size <= maxBytes ? { ...fetched.file, url } : null;
}

/** Returns whether a URL answers with a redirect. */
export async function redirects({ host }: ThreadsState, url: string): Promise<boolean> {
  const response = await host.http.send({ method: 'HEAD', url, timeoutMs: FETCH_MS }).catch(() => null);
  return response !== null && response.status >= 300 && response.status < 400;
}
