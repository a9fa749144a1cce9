import type { IncomingMessage } from 'node:http';
import { retryAfter } from '../../shared/events/retry.ts';
import { HttpFailure, type HttpClient, type HttpRequest } from '../../shared/net/http.ts';
import { SECOND } from '../../shared/time/instant.ts';

const TIMEOUT_MS = 10 * SECOND;
/** How much of an answer is read, bytes, and how much of it is shown in the log, characters. */
const MAX_ANSWER = 4096;
const MAX_EXCERPT = 200;

/** What came of one attempt. `error` is null exactly when the receiver took the delivery. */
export interface Outcome {
  status_code: number | null;
  duration_ms: number;
  error: string | null;
  /** No answer came within the time. */
  timed_out: boolean;
  /** How long the receiver asks to be left alone, milliseconds. */
  retry_after_ms: number;
}

/** Posts to a receiver. Every fault on the way is an outcome, none is thrown. `now`: epoch milliseconds. */
export async function exchange(
  http: HttpClient,
  request: Pick<HttpRequest, 'url' | 'headers' | 'body'>,
  now: number,
): Promise<Outcome> {
  const began = performance.now();
  const elapsed = () => Math.round(performance.now() - began);
  try {
    const { status, headers, stream } = await http.open({
      ...request,
      method: 'POST',
      timeoutMs: TIMEOUT_MS,
    });
    const duration_ms = elapsed();
    const answer = await readStart(stream);
    return {
      status_code: status,
      duration_ms,
      error: faultOf(status, answer),
      timed_out: false,
      retry_after_ms: retryAfter(headers['retry-after'], now),
    };
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    const timed_out = error.reason === 'timeout';
    return {
      status_code: null,
      duration_ms: elapsed(),
      error: timed_out ? `No answer within ${TIMEOUT_MS / SECOND} s` : error.message,
      timed_out,
      retry_after_ms: 0,
    };
  }
}

function faultOf(status: number, answer: string): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `Answered ${status}; redirects are not followed`;
  const excerpt = answer
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_EXCERPT);
  return excerpt === '' ? `Answered ${status}` : `Answered ${status}: ${excerpt}`;
}

/**
 * Reads the beginning of an answer and lets the rest go. The status line has told the outcome already, so an answer
 * that breaks off or never ends changes nothing.
 */
async function readStart(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      const bytes: unknown = chunk;
      if (!Buffer.isBuffer(bytes)) continue;
      chunks.push(bytes);
      size += bytes.length;
      if (size >= MAX_ANSWER) break;
    }
  } catch {
    // What was read until then is all there is.
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER).toString('utf8');
}
