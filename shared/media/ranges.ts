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
    // A compressed answer would have neither a true length nor true ranges.
    headers: { range: `bytes=${start}-${end - 1}`, 'accept-encoding': 'identity' },
    timeoutMs,
  });
  const { bytes, ended } = await readUpTo(answer, end - start);
  const ranged = answer.status === 206;
  const told = ranged
    ? totalOf(answer.headers['content-range'])
    : wholeNumber(answer.headers['content-length']);
  return {
    bytes,
    size: told ?? (ended && !ranged ? bytes.byteLength : null),
    ranged,
    status: answer.status,
    contentType: answer.headers['content-type'] ?? '',
  };
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

/** `bytes 0-99/1234` → 1234. */
const totalOf = (contentRange = '') => wholeNumber(/\/(\d+)$/.exec(contentRange)?.[1]);

const wholeNumber = (text = '') => (/^\d+$/.test(text) ? Number(text) : null);
