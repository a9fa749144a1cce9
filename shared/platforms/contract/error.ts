import type { FailureCode } from '../../model/failure.ts';
import { HttpFailure } from '../../net/http.ts';

/**
 * Kinds of platform errors, as far as delivery treats them differently:
 * - `transient`: a later attempt may succeed.
 * - `rate_limited`: the platform named a limit; `retryAfterMs` says how long it lasts.
 * - `token_expired`: the platform refused the credentials. They are renewed and the request repeated, once; then the
 *   user must reconnect the account.
 * - `rejected`: the platform's refusal is final.
 */
export type PlatformErrorKind = 'transient' | 'rate_limited' | 'token_expired' | 'rejected';

export interface PlatformErrorInit {
  kind: PlatformErrorKind;
  code: FailureCode;
  /** The platform's own words where it gave some. Never contains a secret. */
  message: string;
  retryAfterMs?: number | undefined;
  /** Delays after the first, second, … consecutive failure, where the platform names none; the last one repeats. Default: from a minute up. */
  backoffMs?: readonly number[] | undefined;
  /** How often the request may be retried, where that is less than the retry budget: the platform punishes repetitions. */
  retries?: number | undefined;
  /** Posts, or units of a quota, that the platform allows in its period, where known. */
  limit?: number | undefined;
  /**
   * True where the platform may have acted on the request although no response confirms it: after a timeout, a lost
   * connection or a 5xx. Delivery then reconciles before it repeats a commit.
   */
  outcomeUnknown?: boolean;
  /** True where the account stays usable although a permission is missing: reconnecting it would change nothing. */
  keepsAccount?: boolean | undefined;
  /**
   * True for a limit that is no reason to refuse new posts of the account: it limits something else than the number of its
   * posts, or the platform does not say how long it lasts.
   */
  acceptsPosts?: boolean | undefined;
}

/** The only error that platform code throws. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  readonly kind: PlatformErrorKind;
  readonly code: FailureCode;
  readonly retryAfterMs: number | undefined;
  readonly backoffMs: readonly number[] | undefined;
  readonly retries: number | undefined;
  readonly limit: number | undefined;
  readonly outcomeUnknown: boolean;
  readonly keepsAccount: boolean;
  readonly acceptsPosts: boolean;
  constructor(init: PlatformErrorInit) {
    super(init.message);
    this.kind = init.kind;
    this.code = init.code;
    this.retryAfterMs = init.retryAfterMs;
    this.backoffMs = init.backoffMs;
    this.retries = init.retries;
    this.limit = init.limit;
    this.outcomeUnknown = init.outcomeUnknown ?? false;
    this.keepsAccount = init.keepsAccount ?? false;
    this.acceptsPosts = init.acceptsPosts ?? false;
  }
}

/** Converts a request without a response: transient, and of unknown outcome where the request was sent completely. */
export function fromHttpFailure(failure: HttpFailure, what: string): PlatformError {
  return new PlatformError({
    kind: failure.reason === 'blocked' ? 'rejected' : 'transient',
    code: failure.reason === 'blocked' ? 'CONTENT_REJECTED' : 'PLATFORM_UNAVAILABLE',
    message: `${what}: ${failure.message}`,
    outcomeUnknown: failure.sent,
  });
}
