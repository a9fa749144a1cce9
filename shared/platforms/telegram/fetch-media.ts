import { fileTypeFromBuffer } from 'file-type';
import { HttpFailure, type HttpClient } from '../../net/http.ts';
import { PlatformError } from '../error.ts';
import type { UploadFile } from '../../net/multipart.ts';

/** Largest upload that the Bot API takes: https://core.telegram.org/bots/api#sending-files */
export const MAX_FILE_BYTES = 50_000_000;

const MAX_REDIRECTS = 5;

export interface MediaSource {
  http: HttpClient;
  /** For one request. */
  timeoutMs: number;
}

/**
 * A media file with its type told from the bytes. Throws PlatformError: `rejected` for what is not there, too large or
 * of no known type, `transient` when its server does not answer. Never of unknown outcome: nothing was posted.
 */
export async function fetchMedia(source: MediaSource, url: string): Promise<UploadFile> {
  const bytes = await download(source, url, MAX_REDIRECTS).catch((error: unknown) => {
    throw error instanceof HttpFailure ? unreachable(error) : error;
  });
  const type = await fileTypeFromBuffer(bytes);
  if (!type) throw mediaRejected('The media URL gives no image, video or document');
  return { name: fileName(url, type.ext), type: type.mime, bytes };
}

export function mediaRejected(message: string): PlatformError {
  return new PlatformError({ kind: 'rejected', code: 'MEDIA_REJECTED', message });
}

async function download(source: MediaSource, url: string, redirects: number): Promise<Buffer> {
  const { status, headers, body } = await source.http.send({
    method: 'GET',
    url,
    timeoutMs: source.timeoutMs,
    maxBytes: MAX_FILE_BYTES,
  });
  const target = headers['location'];
  if (status >= 300 && status < 400 && target !== undefined && URL.canParse(target, url)) {
    if (redirects === 0) throw mediaRejected('The media URL redirects too often');
    return download(source, new URL(target, url).href, redirects - 1);
  }
  if (status === 429 || status >= 500) throw unavailable(`The media URL answered with status ${status}`);
  if (status !== 200) throw mediaRejected(`The media URL answered with status ${status}`);
  if (body.length === 0) throw mediaRejected('The media URL gives an empty file');
  return body;
}

function unreachable(failure: HttpFailure): PlatformError {
  if (failure.reason === 'too_large')
    return mediaRejected('The file is over 50 MB, more than Telegram takes');
  if (failure.reason === 'blocked') return mediaRejected(`The media URL was refused: ${failure.message}`);
  return unavailable(`The media URL did not answer: ${failure.message}`);
}

export function unavailable(message: string): PlatformError {
  return new PlatformError({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message });
}

/** The URL's own name, since a document shows it; always with the extension of its true type. */
function fileName(url: string, extension: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  const stem = decoded(last).replace(/\.[A-Za-z0-9]{1,5}$/, '') || 'file';
  return `${stem}.${extension}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
