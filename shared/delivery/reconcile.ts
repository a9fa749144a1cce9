import type { Checkpoint, CommitIntent } from '../model/destination.ts';
import { failure, isAccountLost } from '../model/failure.ts';
import type { PlannedStep } from '../platforms/contract/publisher.ts';
import { withRenewal, type Attempt } from './attempt-context.ts';
import { LeaseLost } from './lease.ts';
import { logUnexpected } from './log-unexpected.ts';
import { asPlatformError, failed, inDoubt, type AttemptOutcome } from './outcome.ts';
import { delayAfter, isExhausted, isTooOld } from './retry.ts';
import { live, stepNamed } from './steps.ts';
import { processingDelayMs } from './timing.ts';

/** Asks the platform what became of a commit that was lost, or that it has taken. */
export async function reconcile(
  attempt: Attempt,
  steps: readonly PlannedStep[],
  checkpoint: Checkpoint,
  intent: CommitIntent,
): Promise<AttemptOutcome | 'absent'> {
  const step = stepNamed(steps, intent.step);
  try {
    const repeatedAfterLoss = attempt.lease.destination.lost_commit === true;
    const finding = await withRenewal(attempt, context =>
      step.reconcile({ ...context, repeatedAfterLoss }, checkpoint, intent.at),
    );
    switch (finding.type) {
      case 'absent':
        return 'absent';
      case 'published':
        return live(attempt, finding.post, checkpoint.state);
      case 'unknown':
        return failed(inDoubt(intent), null);
      case 'wait': {
        const { waits = 0 } = attempt.lease.destination;
        const at = attempt.now() + processingDelayMs(finding.delayMs, waits);
        return reconcileLater(attempt, checkpoint, intent, at, { waits: waits + 1 });
      }
    }
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    logUnexpected(error, attempt.post, attempt.lease.destination);
    const known = asPlatformError(error);
    const { code, message, keepsAccount } = known;
    if (isAccountLost(failure(code, message)) && !keepsAccount)
      return failed(failure('DELIVERY_UNKNOWN', message), null, true);
    const failures = attempt.lease.destination.failures + 1;
    const at = attempt.now() + delayAfter(failures, known);
    return reconcileLater(attempt, checkpoint, intent, at, { message, failures });
  }
}

/** Keeps the intent and reconciles again at `at`, for up to a day after the first attempt. */
function reconcileLater(
  attempt: Attempt,
  checkpoint: Checkpoint,
  intent: CommitIntent,
  at: number,
  after: { message?: string; failures?: number; waits?: number },
): AttemptOutcome {
  const { failures = attempt.lease.destination.failures, waits = 0, message } = after;
  if (!isTooOld(attempt.lease.destination, at)) {
    return { type: 'wait', checkpoint, at, intent, failures, waits };
  }
  return failed(message === undefined ? inDoubt(intent) : failure('DELIVERY_UNKNOWN', message), null);
}

/**
 * Returns what follows a commit of which the platform has nothing: a retry after the usual delay. Null where its worker
 * died: that failure was counted when the lease was acquired, and the attempt continues.
 */
export function afterLostCommit(
  attempt: Attempt,
  checkpoint: Checkpoint,
  intent: CommitIntent,
): AttemptOutcome | null {
  const { destination } = attempt.lease;
  const lost = failure('PLATFORM_UNAVAILABLE', 'The publishing request was lost and had no effect');
  const { failure: why, retries } = intent.answer ?? { failure: lost, retries: Infinity };
  const failures = destination.failures + (attempt.takesOver ? 0 : 1);
  const at = Math.max(attempt.now(), intent.at + delayAfter(failures));
  if (failures > retries || isExhausted(destination, failures, at)) return failed(why, checkpoint);
  if (attempt.takesOver) return null;
  // What may be live if the repetition fails as well is not live now.
  const absent = why.code === 'DELIVERY_UNKNOWN' ? failure('PLATFORM_UNAVAILABLE', why.message) : why;
  return { type: 'retry', failure: absent, failures, at, checkpoint, limit: undefined, lostCommit: true };
}
