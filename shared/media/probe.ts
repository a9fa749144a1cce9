import { HttpFailure, type HttpClient } from '../net/http.ts';
import { SECOND } from '../time/instant.ts';
import { ReadBudgetExceeded, type FileAccess } from './access.ts';
import { HEAD_BYTES, inspect, WHOLE_BYTES, type Inspection } from './inspect.ts';
import { readPart, type Part } from './ranges.ts';

/** What a look at a media URL gave. */
export type Probe =
  | Inspection
  /** The address is private, or not http(s). */
  | { type: 'blocked'; message: string }
  /** The origin refused or did not answer. It may do so for the platform too. */
  | { type: 'unreachable'; message: string };

const TIMEOUT_MS = 12 * SECOND;

/**
 * Tells what a media URL holds from its bytes, by a few ranged reads: never the name, never the content type. Never
 * throws for what the origin does. `http` is the guarded client; `timeoutMs` bounds all reads together.
 */
export async function probeMedia(
  http: Pick<HttpClient, 'open'>,
  url: string,
  timeoutMs: number = TIMEOUT_MS,
): Promise<Probe> {
  const deadline = Date.now() + timeoutMs;
  const read = (start: number, end: number) =>
    readPart(http, url, start, end, Math.max(1, deadline - Date.now()));
  try {
    const head = await read(0, HEAD_BYTES);
    // A range of nothing cannot be given.
    if (head.status === 416)
      return await inspect(remote({ ...head, bytes: new Uint8Array(), size: 0 }, read));
    if (head.status !== 200 && head.status !== 206) return unreachable(`It answers ${head.status}`);
    return await inspect(remote(head, read));
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    return { type: error.reason === 'blocked' ? 'blocked' : 'unreachable', message: error.message };
  }
}

/** By ranges where the origin has them, else read as a whole where it is small enough. */
function remote(head: Part, read: (start: number, end: number) => Promise<Part>): FileAccess {
  const { size, contentType, bytes, ranged } = head;
  let longest = bytes;
  const isHere = (end: number) => end <= longest.byteLength || longest.byteLength === size;
  return {
    size,
    said_type: contentType,
    read: async (start, end) => {
      if (isHere(end)) return longest.subarray(start, end);
      if (ranged) return partOf(await read(start, end));
      if (start > 0 && (size ?? Infinity) > WHOLE_BYTES) {
        throw new ReadBudgetExceeded('Its origin gives no parts of it');
      }
      longest = (await read(0, Math.max(end, start > 0 ? (size ?? 0) : 0))).bytes;
      return longest.subarray(start, end);
    },
  };
}

function partOf({ ranged, bytes }: Part): Uint8Array {
  if (ranged) return bytes;
  throw new HttpFailure('network', 'Its origin lost the range', true);
}

const unreachable = (message: string): Probe => ({ type: 'unreachable', message });
