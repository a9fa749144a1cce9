import type { Post } from '../model/post.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import type { PublishJob, Publisher, StepContext } from '../platforms/contract/publisher.ts';
import type { CheckpointStore } from './checkpoints.ts';
import { assertHeld, type Lease } from './lease.ts';
import { asPlatformError } from './outcome.ts';

/** What an attempt works with. */
export interface Attempt {
  post: Post;
  job: PublishJob;
  publisher: Publisher;
  lease: Lease;
  checkpoints: CheckpointStore;
  /** Opens the account. Credentials that were refused with `refusal` are renewed first. Throws PlatformError. */
  context: (refusal: PlatformError | null) => Promise<StepContext<unknown>>;
  sleep: (ms: number) => Promise<void>;
  /** Returns the current time in epoch milliseconds. */
  now: () => number;
  /** Returns the remaining time of this invocation in milliseconds. */
  remainingMs: () => number;
  settleMs: number;
  /** Time that a step needs. It starts only while this much of the invocation is left. Milliseconds. */
  stepReserveMs: number;
  /** True when the lease was acquired from a worker that died. */
  takesOver: boolean;
}

/**
 * Runs a step while the lease lasts. When the platform refuses the credentials, they are renewed and the step runs once
 * more.
 */
export async function withRenewal<T>(
  attempt: Attempt,
  run: (context: StepContext<unknown>) => Promise<T>,
  renewed = (refusal: PlatformError) => openContext(attempt, refusal),
): Promise<T> {
  const runLeased = (context: StepContext<unknown>) => {
    assertHeld(attempt.lease.destination.lease_until, attempt.now());
    return run(context);
  };
  try {
    return await runLeased(await openContext(attempt, null));
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind !== 'token_expired') throw error;
    return runLeased(await renewed(error));
  }
}

/** Opens the account. An error here precedes the step's own request, so the outcome of that is not in doubt. */
export async function openContext(
  attempt: Attempt,
  refusal: PlatformError | null,
): Promise<StepContext<unknown>> {
  try {
    return await attempt.context(refusal);
  } catch (error) {
    const { kind, code, message, retryAfterMs, backoffMs } = asPlatformError(error);
    throw new PlatformError({ kind, code, message, retryAfterMs, backoffMs, outcomeUnknown: false });
  }
}
