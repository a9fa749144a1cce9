import { parseRetryAfter } from '../../shared/events/retry.ts';
import { HttpFailure, readUpTo, type HttpClient, type HttpRequest } from '../../shared/net/http.ts';
import { SECOND } from '../../shared/time/instant.ts';

const TIMEOUT_MS = 10 * SECOND;
/** Bytes of a response that are read, and characters of it that the delivery log shows. */
const MAX_RESPONSE = 4096;
const MAX_EXCERPT = 200;

/** The outcome of one attempt. `error` is null exactly when the receiver accepted the delivery. */
export interface Outcome {
  status_code: number | null;
  duration_ms: number;
  error: string | null;
  /** True when the receiver did not respond in time. */
  timed_out: boolean;
  /** The receiver's `Retry-After`, milliseconds. */
  retry_after_ms: number;
}

/** Sends one request to a receiver. HTTP and network failures are outcomes, not errors. `now`: epoch milliseconds. */
export async function sendAttempt(
  http: HttpClient,
  request: Pick<HttpRequest, 'url' | 'headers' | 'body'>,
  now: number,
): Promise<Outcome> {
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  try {
    const { status, headers, stream } = await http.open({
      ...request,
      method: 'POST',
      timeoutMs: TIMEOUT_MS,
    });
    const duration_ms = elapsed();
    // The status line decides the outcome, so a response that breaks off or never ends does not matter.
    const { bytes } = await readUpTo(stream, MAX_RESPONSE);
    return {
      status_code: status,
      duration_ms,
      error: errorOf(status, bytes.toString('utf8')),
      timed_out: false,
      retry_after_ms: parseRetryAfter(headers['retry-after'], now),
    };
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    const timed_out = error.reason === 'timeout';
    return {
      status_code: null,
      duration_ms: elapsed(),
      error: timed_out ? `No response within ${TIMEOUT_MS / SECOND} s` : error.message,
      timed_out,
      retry_after_ms: 0,
    };
  }
}

function errorOf(status: number, response: string): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `Answered ${status}; redirects are not followed`;
  const excerpt = response
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_EXCERPT);
  return excerpt === '' ? `Answered ${status}` : `Answered ${status}: ${excerpt}`;
}
