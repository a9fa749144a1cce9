import type { Checkpoint, CommitIntent, FollowUpState, PublishedPost } from '../model/destination.ts';
import { failure, isAccountLost, type Failure } from '../model/failure.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import { delayAfter, failuresAfter, isExhausted, isTooOld } from './retry.ts';

/** How an attempt ended. `deliver` stores it. */
export type AttemptOutcome =
  /** `followUps`: the name and first state of each. */
  | { type: 'published'; post: PublishedPost; followUps: Pick<FollowUpState, 'name' | 'state'>[] }
  /** `accountLost`: the account must be reconnected, whatever the failure says about the post. */
  | { type: 'failed'; failure: Failure; accountLost: boolean; checkpoint: Checkpoint | null }
  /** Resume at `at`. `intent`: of a commit that is reconciled then. `waits`: consecutive waits for the platform. */
  | {
      type: 'wait';
      checkpoint: Checkpoint;
      at: number;
      intent: CommitIntent | null;
      failures?: number;
      waits?: number;
    }
  /** `lostCommit`: the response of a commit was lost, and the platform does not have the post. */
  | {
      type: 'retry';
      checkpoint: Checkpoint;
      failure: Failure;
      failures: number;
      at: number;
      limit: number | undefined;
      acceptsPosts?: boolean;
      lostCommit?: boolean;
    }
  /** The account's daily cap is reached until `at`; no step ran. */
  | { type: 'capped'; failure: Failure; at: number };

/** What follows from an error. */
export type Decision =
  /** The platform may have acted: reconcile once its reads can be trusted. The intent stays. */
  | { type: 'reconcile'; answer: CommitIntent['answer'] }
  /**
   * `failures`: consecutive ones, this one included. `limit`: the limit that the platform announced, where it did.
   * `acceptsPosts`: as PlatformError says.
   */
  | {
      type: 'retry';
      failure: Failure;
      failures: number;
      at: number;
      limit: number | undefined;
      acceptsPosts: boolean;
    }
  | { type: 'fail'; failure: Failure; accountLost: boolean };

/**
 * Decides what follows from an error. `committing`: the error came from a request that must not be sent twice. An error
 * that is not a PlatformError is an error of the service: it is retried, and a commit is reconciled before that.
 */
export function decide(
  error: unknown,
  attempted: { failures: number; first_attempt_at: number | null },
  committing: boolean,
  now: number,
): Decision {
  const known = asPlatformError(error);
  const why = failure(known.code, known.message);
  if (committing && known.outcomeUnknown) {
    const { retries } = known;
    return { type: 'reconcile', answer: retries === undefined ? undefined : { failure: why, retries } };
  }
  const fail: Decision = {
    type: 'fail',
    failure: why,
    accountLost: isAccountLost(why) && !known.keepsAccount,
  };
  if (known.kind === 'rejected' || known.kind === 'token_expired') return fail;
  const isLimit = why.code === 'PLATFORM_RATE_LIMIT';
  const failures = failuresAfter(attempted.failures, isLimit);
  const at = now + delayAfter(failures, known);
  const isSpent = isLimit ? isTooOld(attempted, at) : isExhausted(attempted, failures, at);
  const isLast = isSpent || attempted.failures + 1 > (known.retries ?? Infinity);
  const { limit } = known;
  const acceptsPosts = known.acceptsPosts || known.retryAfterMs === undefined;
  return isLast && !isWaitForQuota(why)
    ? fail
    : { type: 'retry', failure: why, failures, at, limit, acceptsPosts };
}

/** True for a quota of the platform that fills again. Waiting for it is not a failure of the post. */
export const isWaitForQuota = ({ code }: Failure): boolean => code === 'QUOTA_EXHAUSTED';

/** Returns a PlatformError for any error. The outcome is unknown after one that platform code does not throw itself. */
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

export const failed = (
  why: Failure,
  checkpoint: Checkpoint | null,
  accountLost = isAccountLost(why),
): AttemptOutcome => ({ type: 'failed', failure: why, checkpoint, accountLost });

/** Returns the failure of a commit of which nobody can tell what became of it. */
export function inDoubt({ pending }: Pick<CommitIntent, 'pending'>): Failure {
  const message = pending
    ? 'The platform took the post but did not finish it in time; it may still go live'
    : 'The response to the publishing request was lost; the post may be live';
  return failure('DELIVERY_UNKNOWN', message);
}

export const ACCOUNT_GONE = 'The account is no longer connected';
