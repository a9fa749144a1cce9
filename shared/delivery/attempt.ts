import type { Checkpoint, DestinationOf } from '../model/destination.ts';
import { failure } from '../model/failure.ts';
import type { Attempt } from './attempt-context.ts';
import { failed, inDoubt, type AttemptOutcome } from './outcome.ts';
import { afterLostCommit, reconcile } from './reconcile.ts';
import { isExhausted } from './retry.ts';
import { runSteps } from './steps.ts';

/**
 * Runs the steps of a destination until it is published, fails or must wait. Throws LeaseLost when another worker
 * acquired the lease.
 *
 * An intent of an earlier attempt means that a commit was sent and its outcome is unknown. It is reconciled first, and
 * another commit follows only when the platform does not have the post. A post that the platform has taken is followed in
 * the same way.
 */
export async function runAttempt(attempt: Attempt): Promise<AttemptOutcome> {
  const { destination } = attempt.lease;
  const stored = await storedCheckpoint(attempt, destination);
  const checkpoint = stored ?? attempt.publisher.start(attempt.job);
  const steps = attempt.publisher.plan(attempt.job);

  if (!destination.intent) {
    const exhausted = attempt.takesOver && isExhausted(destination, destination.failures, attempt.now());
    if (exhausted) return failed(failure('INTERNAL', 'The service failed on every attempt'), checkpoint);
    return runSteps(attempt, steps, checkpoint, destination.lost_commit === true);
  }
  // Without its state, a commit cannot be recognised.
  if (!stored) return failed(inDoubt(destination.intent), null);
  const found = await reconcile(attempt, steps, checkpoint, destination.intent);
  if (found !== 'absent') return found;
  if (destination.intent.pending) {
    return runSteps(attempt, steps, checkpoint, destination.lost_commit === true);
  }
  return (
    afterLostCommit(attempt, checkpoint, destination.intent) ?? runSteps(attempt, steps, checkpoint, true)
  );
}

/** Loads the checkpoint; null where there is none, or its state belongs to another version of the publisher. */
async function storedCheckpoint(
  attempt: Attempt,
  { checkpoint }: DestinationOf<'publishing'>,
): Promise<Checkpoint | null> {
  if (checkpoint && 'fresh' in checkpoint) {
    return { step: checkpoint.step, state: attempt.publisher.start(attempt.job).state };
  }
  const stored = checkpoint && (await attempt.checkpoints.load(checkpoint));
  return stored && attempt.publisher.accepts(stored) ? stored : null;
}
