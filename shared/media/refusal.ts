import { HttpFailure, type OpenResponse } from '../net/http.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import { isCompressed } from './ranges.ts';

/** The file is the user's to replace. */
export function mediaRejected(message: string): PlatformError {
  return new PlatformError({ kind: 'rejected', code: 'MEDIA_REJECTED', message });
}

/** The file's host fails for now. Nothing was posted, so the outcome is known. */
export function hostFails(message: string): PlatformError {
  return new PlatformError({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message });
}

/** Runs what reads from a media host; whatever fails there is the host's fault or the user's. */
export async function fromHost<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    const words = error instanceof Error ? error.message : String(error);
    if (error instanceof HttpFailure && error.reason === 'blocked') throw mediaRejected(words);
    throw hostFails(`The media host failed: ${words}`);
  }
}

/** Gives back an answer that carries the file, or a part of it. Throws PlatformError for any other. */
export function usable<T extends OpenResponse>(response: T): T {
  const { status, headers } = response;
  const isFile = status === 200 || status === 206;
  if (isFile && !isCompressed(response)) return response;
  response.stream.destroy();
  if (isFile) {
    throw hostFails(`The media host sent ${headers['content-encoding'] ?? ''} though asked not to`);
  }
  if (status === 429 || status === 408 || status >= 500) throw hostFails(`The media host answered ${status}`);
  if (status === 416) throw mediaRejected('The media URL gives an empty file');
  throw mediaRejected(`The media URL answered ${status}`);
}
