import { failure, type Failure } from '../model/failure.ts';
import type { Destination } from '../model/destination.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import { backoffMs, isExhausted } from './retry.ts';

/** What follows from an error that ended an attempt. */
export type Decision =
  /** The platform may have acted: ask it once its answer can be trusted. The commit mark stays. */
  | { type: 'ask' }
  /** `limit`: what the platform announced to take, where it did. */
  | { type: 'retry'; failure: Failure; at: number; limit: number | undefined }
  | { type: 'fail'; failure: Failure };

/**
 * The one place where errors become outcomes. `committing`: the error came from a request that must not be sent twice.
 * Anything but a PlatformError is a fault of ours: worth a retry, and never a reason to post again blindly.
 */
export function decide(error: unknown, destination: Destination, committing: boolean, now: number): Decision {
  const known = asPlatformError(error);
  if (committing && known.outcomeUnknown) return { type: 'ask' };
  const why = failure(known.code, known.message);
  if (known.kind === 'rejected' || known.kind === 'token_expired') return { type: 'fail', failure: why };
  const failures = destination.failures + 1;
  const at = now + backoffMs(failures, known.retryAfterMs);
  return isExhausted(destination, failures, at)
    ? { type: 'fail', failure: why }
    : { type: 'retry', failure: why, at, limit: known.limit };
}

/** Whatever else is thrown is a fault of ours: an answer may have come and not been understood. */
export function asPlatformError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  const name = error instanceof Error ? error.name : 'Error';
  return new PlatformError({
    kind: 'transient',
    code: 'INTERNAL',
    message: `The service failed while publishing (${name})`,
    outcomeUnknown: true,
  });
}
