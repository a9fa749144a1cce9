import { HttpFailure, type HttpResponse } from '../../../net/http.ts';
import type { StoredMedia } from '../../contract/sandbox.ts';
import { KB, MB } from '../../kit/sizes.ts';
import { invalid, invalidWithoutDetails } from './errors.ts';
import type { GbpState } from './state.ts';

/** Google reads no more of a file. */
export const FETCH_BYTES = 26_214_400;
const FETCH_MS = 60_000;
const MAX_REDIRECTS = 1;
const MIN_IMAGE_BYTES = 10 * KB;
const MAX_IMAGE_BYTES = 5 * MB;
const MIN_SIDE = 250;
const MAX_SECONDS = 30;

const fetchFailed = () => invalid({ code: 1000, message: 'Fetching image failed.' });

/** Fetches a picture of a post. Ends the request where that fails or Google does not accept the picture. */
export async function fetchPhoto(state: GbpState, url: string): Promise<StoredMedia> {
  const file = await fetchFile(state, url, 'image/');
  const { type, size, width = 0, height = 0 } = file;
  if (!['image/jpeg', 'image/png'].includes(type) || size > MAX_IMAGE_BYTES) return invalidWithoutDetails();
  if (size < MIN_IMAGE_BYTES || Math.min(width, height) < MIN_SIDE) {
    return invalid({ code: 3, field: 'media', message: 'Image is too small.' });
  }
  return file;
}

/** Fetches a video of the gallery. Ends the request like `fetchPhoto`. */
export async function fetchVideo(state: GbpState, url: string): Promise<StoredMedia> {
  const file = await fetchFile(state, url, 'video/');
  const isVideo = ['video/mp4', 'video/quicktime', 'video/x-m4v'].includes(file.type);
  return isVideo && (file.duration ?? 0) <= MAX_SECONDS ? file : invalidWithoutDetails();
}

async function fetchFile(state: GbpState, url: string, type: string): Promise<StoredMedia> {
  const { status, headers, body } = await get(state, url, MAX_REDIRECTS);
  if (status !== 200 || !(headers['content-type'] ?? '').startsWith(type)) return fetchFailed();
  return { ...(await state.host.storeMedia(body)), url };
}

async function get(state: GbpState, url: string, redirects: number): Promise<HttpResponse> {
  const response = await requestOf(state, url);
  const { location } = response.headers;
  if (response.status < 300 || response.status > 399 || location === undefined) return response;
  return redirects > 0 ? get(state, new URL(location, url).href, redirects - 1) : fetchFailed();
}

async function requestOf({ host }: GbpState, url: string): Promise<HttpResponse> {
  try {
    return await host.http.send({ method: 'GET', url, timeoutMs: FETCH_MS, maxBytes: FETCH_BYTES });
  } catch (error) {
    const isTooLarge = error instanceof HttpFailure && error.reason === 'too_large';
    if (!isTooLarge) return fetchFailed();
    const message = `Media fetch response bytes too large (max: ${FETCH_BYTES}B).`;
    return invalid({ code: 10, message, value: url });
  }
}
