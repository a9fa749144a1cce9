import { openFollowing } from '../net/follow.ts';
import { HttpFailure, type HttpClient, type OpenResponse } from '../net/http.ts';

/** What one ranged read gave. */
export interface Part {
  bytes: Uint8Array;
  /** Size of the whole file; null where the origin does not tell. */
  size: number | null;
  /** False when the origin ignored the range and began at the file's first byte. */
  ranged: boolean;
  status: number;
  contentType: string;
}

/**
 * Reads `[start, end)` of a URL, or as much as there is. An origin that ignores ranges is read from the front, up to
 * `end - start` bytes, then cut off. Throws HttpFailure.
 */
export async function readPart(
  http: Pick<HttpClient, 'open'>,
  url: string,
  start: number,
  end: number,
  timeoutMs: number,
): Promise<Part> {
  const answer = await openFollowing(http, {
    method: 'GET',
    url,
    headers: { ...PLAIN, range: `bytes=${start}-${end - 1}` },
    timeoutMs,
  });
  const { status, headers } = answer;
  if (isCompressed(answer)) {
    answer.stream.destroy();
    throw new HttpFailure('network', 'Its origin sends it compressed, though asked not to', true);
  }
  const { bytes, ended } = await readUpTo(answer, end - start);
  const range = status === 206 ? rangeOf(answer) : null;
  if (range && range.start !== start) {
    throw new HttpFailure('network', 'Its origin gives another range than the one asked for', true);
  }
  const told = status === 206 ? (range?.total ?? null) : wholeNumber(headers['content-length']);
  return {
    bytes,
    size: told ?? (ended && status === 200 ? bytes.byteLength : null),
    ranged: status === 206,
    status,
    contentType: headers['content-type'] ?? '',
  };
}

/** A compressed answer would have neither the file's length nor its ranges. */
export const PLAIN = { 'accept-encoding': 'identity' };

/** True for an answer whose bytes are not those of the file. */
export function isCompressed({ status, headers }: OpenResponse): boolean {
  const encoding = headers['content-encoding'] ?? 'identity';
  return (status === 200 || status === 206) && encoding.toLowerCase() !== 'identity';
}

/** `bytes 0-99/1234`: what was given; `total` null where it is not told. Null for no such header. */
export function rangeOf({
  headers,
}: Pick<OpenResponse, 'headers'>): { start: number; total: number | null } | null {
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? [];
  return start === undefined ? null : { start: Number(start), total: wholeNumber(total) };
}

/** Reads at most `most` bytes and lets the rest go. */
async function readUpTo(
  { stream }: OpenResponse,
  most: number,
): Promise<{ bytes: Uint8Array; ended: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      const bytes: unknown = chunk;
      if (!Buffer.isBuffer(bytes)) continue;
      chunks.push(bytes);
      size += bytes.byteLength;
      if (size > most) break;
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new HttpFailure(/abort|timeout/i.test(why) ? 'timeout' : 'network', why, true);
  } finally {
    stream.destroy();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, most), ended: size <= most };
}

const wholeNumber = (text = '') => (/^\d{1,15}$/.test(text) ? Number(text) : null);
