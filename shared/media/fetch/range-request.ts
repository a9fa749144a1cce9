import { openFollowing } from '../../net/follow.ts';
import { HttpFailure, readUpTo, type HttpClient, type OpenResponse } from '../../net/http.ts';

export interface RangeResponse {
  bytes: Uint8Array;
  /** Size of the whole file; null where the host does not say. */
  size: number | null;
  /** False when the host ignored the range and sent the file from its first byte. */
  ranged: boolean;
  status: number;
  contentType: string;
}

/**
 * Reads `[start, end)` of a URL, or as much as there is. From a host that ignores ranges it reads the first
 * `end - start` bytes of the file and closes the connection. Throws HttpFailure.
 */
export async function readRange(
  http: Pick<HttpClient, 'open'>,
  url: string,
  start: number,
  end: number,
  timeoutMs: number,
): Promise<RangeResponse> {
  const answer = await openFollowing(http, {
    method: 'GET',
    url,
    headers: { ...UNCOMPRESSED, range: `bytes=${start}-${end - 1}` },
    timeoutMs,
  });
  const { status, headers } = answer;
  if (isCompressed(answer)) {
    answer.stream.destroy();
    throw new HttpFailure('network', 'The media host compresses the file against the request', true);
  }
  const { bytes, ended, failure } = await readUpTo(answer.stream, end - start);
  if (failure) throw failure;
  const range = status === 206 ? contentRange(answer) : null;
  if (range && range.start !== start) {
    throw new HttpFailure('network', 'The media host sent another range than the one requested', true);
  }
  const declared = status === 206 ? (range?.total ?? null) : wholeNumber(headers['content-length']);
  return {
    bytes,
    size: declared ?? (ended && status === 200 ? bytes.byteLength : null),
    ranged: status === 206,
    status,
    contentType: headers['content-type'] ?? '',
  };
}

/** A compressed response would have neither the file's length nor its ranges. */
export const UNCOMPRESSED = { 'accept-encoding': 'identity' };

/** Tells whether a response's bytes are compressed, and so not those of the file. */
export function isCompressed({ status, headers }: OpenResponse): boolean {
  const encoding = headers['content-encoding'] ?? 'identity';
  return (status === 200 || status === 206) && encoding.toLowerCase() !== 'identity';
}

/** Parses `Content-Range: bytes 0-99/1234`; `total` is null for an unknown size. Null without such a header. */
export function contentRange({
  headers,
}: Pick<OpenResponse, 'headers'>): { start: number; total: number | null } | null {
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? [];
  return start === undefined ? null : { start: Number(start), total: wholeNumber(total) };
}

/** Returns a strong ETag. A weak one may stay the same while bytes change. */
export const strongEtag = (etag: string | undefined) =>
  etag === undefined || etag.startsWith('W/') ? null : etag;

/** Parses a header's decimal number; null for anything else. */
export const wholeNumber = (text = '') => (/^\d{1,15}$/.test(text) ? Number(text) : null);
