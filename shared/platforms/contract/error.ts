import type { FailureCode } from '../../model/failure.ts';
import { HttpFailure } from '../../net/http.ts';

/**
 * What can go wrong at a platform, as far as the delivery machine must tell things apart:
 * - `transient`: a later attempt may succeed;
 * - `rate_limited`: the platform named a limit, `retryAfterMs` says until when;
 * - `token_expired`: the credentials were refused; one refresh and one repetition, then the user must reconnect;
 * - `rejected`: the platform says no, for good.
 */
export type PlatformErrorKind = 'transient' | 'rate_limited' | 'token_expired' | 'rejected';

export interface PlatformErrorInit {
  kind: PlatformErrorKind;
  code: FailureCode;
  /** The platform's own words where it gave some; never a secret. */
  message: string;
  retryAfterMs?: number | undefined;
  /** Posts that the platform's announced limit allows in its period, where it says so. */
  limit?: number | undefined;
  /**
   * True where the platform may have acted on the request although no answer says so: a time-out, a cut connection,
   * a 5xx. The machine then asks the platform before it repeats a commit.
   */
  outcomeUnknown?: boolean;
}

/** The one error that platform code throws. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  readonly kind: PlatformErrorKind;
  readonly code: FailureCode;
  readonly retryAfterMs: number | undefined;
  readonly limit: number | undefined;
  readonly outcomeUnknown: boolean;
  constructor(init: PlatformErrorInit) {
    super(init.message);
    this.kind = init.kind;
    this.code = init.code;
    this.retryAfterMs = init.retryAfterMs;
    this.limit = init.limit;
    this.outcomeUnknown = init.outcomeUnknown ?? false;
  }
}

/** No answer came: transient, and of unknown outcome where the whole request had left. */
export function fromHttpFailure(failure: HttpFailure, what: string): PlatformError {
  return new PlatformError({
    kind: failure.reason === 'blocked' ? 'rejected' : 'transient',
    code: failure.reason === 'blocked' ? 'CONTENT_REJECTED' : 'PLATFORM_UNAVAILABLE',
    message: `${what}: ${failure.message}`,
    outcomeUnknown: failure.sent,
  });
}
