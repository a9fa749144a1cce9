import type { FailureCode } from '../../model/failure.ts';
import { PlatformError, type PlatformErrorKind } from '../contract/error.ts';

/** An error response. `error` is the stable name, `message` the text for people; both may be empty. */
export interface ErrorResponse {
  call: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  error: string;
  message: string;
}

interface ErrorClass {
  kind: PlatformErrorKind;
  code: FailureCode;
}

const EXPIRED: ErrorClass = { kind: 'token_expired', code: 'TOKEN_EXPIRED' };
const BAD_MEDIA: ErrorClass = { kind: 'rejected', code: 'MEDIA_REJECTED' };
const BAD_CONTENT: ErrorClass = { kind: 'rejected', code: 'CONTENT_REJECTED' };
const DOWN: ErrorClass = { kind: 'transient', code: 'PLATFORM_UNAVAILABLE' };
const LIMITED: ErrorClass = { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT' };

/** By name, since the status alone is misleading: an expired token is a 400. */
const BY_NAME: ReadonlyMap<string, ErrorClass> = new Map(
  Object.entries({
    ExpiredToken: EXPIRED,
    InvalidToken: EXPIRED,
    AuthenticationRequired: EXPIRED,
    AuthFactorTokenRequired: EXPIRED,
    AccountTakedown: EXPIRED,
    AccountDeactivated: EXPIRED,
    AccountNotFound: EXPIRED,
    AuthMissing: { kind: 'rejected', code: 'INTERNAL' },
    BlobTooLarge: BAD_MEDIA,
    BlobNotFound: BAD_MEDIA,
    InvalidMimeType: BAD_MEDIA,
    InvalidSize: BAD_MEDIA,
    PayloadTooLarge: BAD_MEDIA,
    RateLimitExceeded: LIMITED,
  }),
);

const BY_STATUS: Readonly<Record<number, ErrorClass>> = {
  401: EXPIRED,
  403: { kind: 'rejected', code: 'PERMISSION_MISSING' },
  408: DOWN,
  413: BAD_MEDIA,
  429: LIMITED,
};

const DEFAULT_WAIT_MS = 5 * 60_000;

/** Classifies an error response. */
export function toPlatformError(errorResponse: ErrorResponse): PlatformError {
  const errorClass = classify(errorResponse);
  return new PlatformError({
    ...errorClass,
    message: messageOf(errorResponse),
    retryAfterMs: errorClass.kind === 'rate_limited' ? retryAfterOf(errorResponse.headers) : undefined,
    outcomeUnknown: errorClass.kind === 'transient' || errorResponse.status >= 500,
  });
}

/** True when an image exceeds the server's limit, which is enforced only when the record is written. */
export function isTooBig({ error, message, status }: ErrorResponse): boolean {
  const oversized = error === 'InvalidRequest' && saysTooBig(message);
  return status < 500 && (oversized || error === 'BlobTooLarge' || status === 413);
}

/** In linear time, since the user chooses the server: a pattern with `.*` between the words is quadratic. */
function saysTooBig(message: string): boolean {
  const file = /\b(?:blob|file|image)\b/i.exec(message);
  return file !== null && /\btoo (?:big|large)\b/i.test(message.slice(file.index));
}

function classify(errorResponse: ErrorResponse): ErrorClass {
  const { error, status } = errorResponse;
  // 501: the server does not implement the call, so that a retry is useless.
  if (status >= 500 && status !== 501) return DOWN;
  if (isTooBig(errorResponse)) return BAD_MEDIA;
  return BY_NAME.get(error) ?? BY_STATUS[status] ?? BAD_CONTENT;
}

function messageOf({ call, status, error, message }: ErrorResponse): string {
  if (status >= 300 && status < 400)
    return `${call}: the server answered with a redirect; redirects are not followed`;
  return message || error || `${call}: the server answered with status ${status}`;
}

/** Milliseconds: `Retry-After`, else `RateLimit-Reset` by the server's own clock, else five minutes. */
function retryAfterOf(headers: Readonly<Record<string, string>>): number {
  const after = Number(headers['retry-after'] ?? NaN);
  if (after >= 0) return after * 1000;
  const reset = Number(headers['ratelimit-reset'] ?? NaN) * 1000;
  const wait = reset - Date.parse(headers['date'] ?? '');
  return wait > 0 ? wait : DEFAULT_WAIT_MS;
}
