import type { HttpClient, HttpRequest, HttpResponse } from '../../net/http.ts';
import { PlatformError } from '../contract/error.ts';
import { sendRequest } from '../kit/wire.ts';
import { resumeAt } from './chunks.ts';
import type { Upload } from './state.ts';

/** What TikTok says about a chunk. */
export type ChunkResult =
  /** The video is complete: TikTok processes and publishes it. */
  | { type: 'complete' }
  /** More bytes are expected from this offset on. */
  | { type: 'more'; offset: number }
  /** The upload is unknown, or its URL has expired. */
  | { type: 'gone' };

export interface Chunk {
  /** The bytes `[start, end)`. */
  start: number;
  end: number;
  body: NonNullable<HttpRequest['body']>;
}

/** Sends a chunk. The URL is enough: a token would be refused. Throws PlatformError where TikTok did not take it. */
export async function putChunk(
  http: HttpClient,
  upload: Upload,
  { start, end, body }: Chunk,
  timeoutMs: number,
): Promise<ChunkResult> {
  const what = 'Uploading the video';
  const headers = {
    'content-type': upload.type,
    'content-range': `bytes ${start}-${end - 1}/${upload.size}`,
  };
  const response = await sendRequest(
    http,
    { method: 'PUT', url: upload.url, headers, body, timeoutMs },
    what,
  );
  switch (response.status) {
    case 201:
      return { type: 'complete' };
    case 206:
      return { type: 'more', offset: end };
    case 416:
      return { type: 'more', offset: standingIn(response, upload) ?? upload.offset };
    case 403:
    case 404:
      return { type: 'gone' };
    default:
      throw refusal(response, what);
  }
}

/** TikTok does not say whether its header has the number of bytes or the index of the last one; both give this chunk. */
function standingIn({ headers }: HttpResponse, upload: Upload): number | null {
  const last = /^bytes 0-(\d+)\/\d+$/.exec(headers['content-range'] ?? '')?.[1];
  return last === undefined ? null : resumeAt(upload, Number(last) + 1);
}

/** Anything but a client error, a success without its own status included, may come from a proxy after TikTok took the chunk. */
function refusal({ status }: HttpResponse, what: string): PlatformError {
  const isRefused = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return new PlatformError({
    kind: isRefused ? 'rejected' : 'transient',
    code: isRefused ? 'INTERNAL' : 'PLATFORM_UNAVAILABLE',
    message: `${what}: TikTok answered ${status}`,
    outcomeUnknown: !isRefused,
  });
}
