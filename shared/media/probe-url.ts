import { HttpFailure, type HttpClient } from '../net/http.ts';
import { SECOND } from '../time/instant.ts';
import { readRange, type RangeResponse } from './fetch/range-request.ts';
import { inspectFile, type Inspection } from './inspect-file.ts';
import { BudgetExceeded, QUICK, type BudgetLimits } from './probe/budget.ts';
import type { FileAccess } from './probe/file-access.ts';
import { HEAD_BYTES } from './probe/head-bytes.ts';

/** What a media URL leads to. */
export type UrlProbe =
  | Inspection
  /** The address is private, or not http(s). */
  | { type: 'blocked'; message: string }
  /** The host refused (`status`) or did not answer (null). It may do the same to the platform. */
  | { type: 'unreachable'; status: number | null; message: string };

const TIMEOUT_MS = 12 * SECOND;

/**
 * Inspects the file behind a media URL by a few range requests; neither its name nor its content type counts. Never
 * throws for anything that the host does. `http` is the guarded client; `timeoutMs` bounds all requests together, `limits`
 * what is read of the file.
 */
export async function probeUrl(
  http: Pick<HttpClient, 'open'>,
  url: string,
  timeoutMs: number = TIMEOUT_MS,
  limits: BudgetLimits = QUICK,
): Promise<UrlProbe> {
  const deadline = Date.now() + timeoutMs;
  const read = (start: number, end: number) =>
    readRange(http, url, start, end, Math.max(1, deadline - Date.now()));
  try {
    const head = await read(0, HEAD_BYTES);
    // No range of an empty file is satisfiable.
    if (head.status === 416)
      return await inspectFile(
        remoteFile({ ...head, bytes: new Uint8Array(), size: 0 }, read, limits),
        limits,
      );
    if (head.status !== 200 && head.status !== 206)
      return unreachable(head.status, `The media host answered ${head.status}`);
    return await inspectFile(remoteFile(head, read, limits), limits);
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    return error.reason === 'blocked'
      ? { type: 'blocked', message: error.message }
      : unreachable(null, error.message);
  }
}

const unreachable = (status: number | null, message: string): UrlProbe => ({
  type: 'unreachable',
  status,
  message,
});

/** Reads by ranges where the host supports them, else the whole file where it is small enough. */
function remoteFile(
  head: RangeResponse,
  read: (start: number, end: number) => Promise<RangeResponse>,
  limits: BudgetLimits,
): FileAccess {
  const { size, contentType, bytes, ranged } = head;
  let longest = bytes;
  const isCached = (end: number) => end <= longest.byteLength || longest.byteLength === size;
  return {
    size,
    declared_type: contentType,
    read: async (start, end) => {
      if (isCached(end)) return longest.subarray(start, end);
      if (ranged) return rangedBytes(await read(start, end));
      if (start > 0 && (size ?? Infinity) > limits.bytes) {
        throw new BudgetExceeded('The media host does not support range requests');
      }
      longest = (await read(0, Math.max(end, start > 0 ? (size ?? 0) : 0))).bytes;
      return longest.subarray(start, end);
    },
  };
}

function rangedBytes({ ranged, bytes }: RangeResponse): Uint8Array {
  if (ranged) return bytes;
  throw new HttpFailure('network', 'The media host stopped answering range requests', true);
}
