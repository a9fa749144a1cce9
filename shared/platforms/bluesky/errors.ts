import type { FailureCode } from '../../model/failure.ts';
import { PlatformError, type PlatformErrorKind } from '../contract/error.ts';

/** An answer that is no success. `error` is the stable name, `message` words for people; both may be empty. */
export interface Refusal {
  call: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  error: string;
  message: string;
}

interface Meaning {
  kind: PlatformErrorKind;
  code: FailureCode;
}

const REFUSED_CREDENTIALS: Meaning = { kind: 'token_expired', code: 'TOKEN_EXPIRED' };
const BAD_MEDIA: Meaning = { kind: 'rejected', code: 'MEDIA_REJECTED' };
const BAD_CONTENT: Meaning = { kind: 'rejected', code: 'CONTENT_REJECTED' };
const DOWN: Meaning = { kind: 'transient', code: 'PLATFORM_UNAVAILABLE' };
const LIMITED: Meaning = { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT' };

/** By name, since the status alone misleads: an expired token is a 400. */
const BY_NAME: ReadonlyMap<string, Meaning> = new Map(
  Object.entries({
    ExpiredToken: REFUSED_CREDENTIALS,
    InvalidToken: REFUSED_CREDENTIALS,
    AuthenticationRequired: REFUSED_CREDENTIALS,
    AuthFactorTokenRequired: REFUSED_CREDENTIALS,
    AccountTakedown: REFUSED_CREDENTIALS,
    AccountDeactivated: REFUSED_CREDENTIALS,
    AccountNotFound: REFUSED_CREDENTIALS,
    AuthMissing: { kind: 'rejected', code: 'INTERNAL' },
    BlobTooLarge: BAD_MEDIA,
    BlobNotFound: BAD_MEDIA,
    InvalidMimeType: BAD_MEDIA,
    InvalidSize: BAD_MEDIA,
    PayloadTooLarge: BAD_MEDIA,
    RateLimitExceeded: LIMITED,
  }),
);

const BY_STATUS: Readonly<Record<number, Meaning>> = {
  401: REFUSED_CREDENTIALS,
  403: { kind: 'rejected', code: 'PERMISSION_MISSING' },
  408: DOWN,
  413: BAD_MEDIA,
  429: LIMITED,
};

const DEFAULT_WAIT_MS = 5 * 60_000;

/** A refusal as the delivery machine understands it. */
export function asPlatformError(refusal: Refusal): PlatformError {
  const meaning = meaningOf(refusal);
  return new PlatformError({
    ...meaning,
    message: wordsOf(refusal),
    retryAfterMs: meaning.kind === 'rate_limited' ? waitOf(refusal.headers) : undefined,
    outcomeUnknown: meaning.kind === 'transient',
  });
}

/** A picture is larger than this server lets a record carry: the limit is met only when the record is written. */
export function isTooBig({ error, message, status }: Refusal): boolean {
  const oversized =
    error === 'InvalidRequest' && /\b(?:blob|file|image)\b.*\btoo (?:big|large)\b/i.test(message);
  return status < 500 && (oversized || error === 'BlobTooLarge' || status === 413);
}

function meaningOf(refusal: Refusal): Meaning {
  const { error, status } = refusal;
  // 501: not a server of this kind, and it will not become one.
  if (status >= 500 && status !== 501) return DOWN;
  if (isTooBig(refusal)) return BAD_MEDIA;
  return BY_NAME.get(error) ?? BY_STATUS[status] ?? BAD_CONTENT;
}

function wordsOf({ call, status, error, message }: Refusal): string {
  if (status >= 300 && status < 400) return `${call}: the server redirects, which is not followed`;
  return message || error || `${call} answered with status ${status}`;
}

/** `Retry-After` in seconds, else `RateLimit-Reset` against the server's own clock, else five minutes. */
function waitOf(headers: Readonly<Record<string, string>>): number {
  const after = Number(headers['retry-after'] ?? NaN);
  if (after >= 0) return after * 1000;
  const reset = Number(headers['ratelimit-reset'] ?? NaN) * 1000;
  const wait = reset - Date.parse(headers['date'] ?? '');
  return wait > 0 ? wait : DEFAULT_WAIT_MS;
}
