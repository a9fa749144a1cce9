import { HttpFailure, type OpenResponse } from '../../net/http.ts';
import { PlatformError } from '../../platforms/contract/error.ts';
import { isCompressed } from './range-request.ts';

/** The user must replace the file. */
export function mediaRejected(message: string): PlatformError {
  return new PlatformError({ kind: 'rejected', code: 'MEDIA_REJECTED', message });
}

/** The media host fails for now. Nothing was posted yet, so the outcome is known. */
export function hostUnavailable(message: string): PlatformError {
  return new PlatformError({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message });
}

/** Runs `work`, which reads from a media host, and turns its errors into PlatformError `rejected` or `transient`. */
export async function withHostErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof HttpFailure && error.reason === 'blocked') throw mediaRejected(message);
    throw hostUnavailable(`The media host failed: ${message}`);
  }
}

/** Returns a response that carries the file or a part of it. Throws PlatformError for any other. */
export function assertFileResponse<T extends OpenResponse>(response: T): T {
  const { status, headers } = response;
  const isFile = status === 200 || status === 206;
  if (isFile && !isCompressed(response)) return response;
  response.stream.destroy();
  if (isFile) {
    const encoding = headers['content-encoding'] ?? '';
    throw hostUnavailable(`The media host sent the file in ${encoding} against the request`);
  }
  if (status === 429 || status === 408 || status >= 500)
    throw hostUnavailable(`The media host answered ${status}`);
  if (status === 416) throw mediaRejected('The media URL returns an empty file');
  throw mediaRejected(`The media URL answered ${status}`);
}
