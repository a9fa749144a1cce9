import type { Checkpoint, CommitIntent, DestinationOf, PublishedPost } from '../model/destination.ts';
import { failure, isAccountLost } from '../model/failure.ts';
import type { JsonObject } from '../model/json.ts';
import type { Post } from '../model/post.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import type { PlannedStep, PublishJob, Publisher, StepContext } from '../platforms/contract/publisher.ts';
import type { CheckpointStore } from './checkpoints.ts';
import { assertHeld, LeaseLost, type Lease } from './lease.ts';
import { asPlatformError, COMMIT_LOST, decide, failed, type AttemptOutcome } from './outcome.ts';
import { backoffMs, isExhausted, isTooOld } from './retry.ts';
import { EARLY_MS, processingDelayMs, processingWaitUntil } from './timing.ts';
import { advanced, withIntent, withoutIntent } from './transitions.ts';

/** What an attempt works with. */
export interface Attempt {
  post: Post;
  job: PublishJob;
  publisher: Publisher;
  lease: Lease;
  checkpoints: CheckpointStore;
  /** Opens the account; `renew` renews its credentials first. Throws PlatformError. */
  context: (renew: boolean) => Promise<StepContext<unknown>>;
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
 * Runs the steps of a destination until it is published, fails or must wait. Throws LeaseLost when another worker
 * acquired the lease.
 *
 * An intent of an earlier attempt means that a commit was sent and its outcome is unknown. It is reconciled first, and
 * another commit follows only when the platform does not have the post.
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
  if (!stored) return failed(COMMIT_LOST(), null);
  const found = await reconcile(attempt, steps, checkpoint, destination.intent);
  if (found !== 'absent') return found;
  return (
    afterLostCommit(attempt, checkpoint, destination.intent) ?? runSteps(attempt, steps, checkpoint, true)
  );
}

/** Loads the checkpoint; null where there is none, or its state belongs to another version of the publisher. */
async function storedCheckpoint(
  attempt: Attempt,
  { checkpoint }: DestinationOf<'publishing'>,
): Promise<Checkpoint | null> {
  const stored = checkpoint && (await attempt.checkpoints.load(checkpoint));
  return stored && attempt.publisher.accepts(stored) ? stored : null;
}

async function runSteps(
  attempt: Attempt,
  steps: readonly PlannedStep[],
  start: Checkpoint,
  repeated: boolean,
): Promise<AttemptOutcome> {
  let checkpoint = start;
  let { waits = 0 } = attempt.lease.destination;
  for (;;) {
    const step = stepNamed(steps, checkpoint.step);
    if (step.kind === 'commit') return commit(attempt, step, checkpoint, repeated);
    if (isOutOfTime(attempt)) return resumeAtOnce(attempt, checkpoint);
    try {
      const result = await withRenewal(attempt, context => step.run(context, checkpoint));
      if (result.type === 'published' || result.type === 'back') {
        throw new Error(`${step.name} is not a commit step`);
      }
      const name = result.type === 'next' ? nameAfter(steps, step) : step.name;
      checkpoint = { step: name, state: result.state };
      if (result.type === 'wait') return waitForPlatform(attempt, checkpoint, result.delayMs, waits);
    } catch (error) {
      return afterError(error, attempt, checkpoint, false);
    }
    waits = 0;
    // Before a commit that follows at once, the write of the intent stores the checkpoint too.
    if (stepNamed(steps, checkpoint.step).kind === 'commit' && isDue(attempt)) continue;
    await attempt.lease.save(advanced(attempt.lease.destination, await attempt.checkpoints.put(checkpoint)));
  }
}

/** Sends the request that makes the post visible: not before it is due, and only after an intent is stored. */
async function commit(
  attempt: Attempt,
  step: PlannedStep,
  checkpoint: Checkpoint,
  repeated: boolean,
): Promise<AttemptOutcome> {
  if (!isDue(attempt)) return { type: 'wait', checkpoint, at: attempt.post.due_at, keepIntent: false };
  if (isOutOfTime(attempt)) return resumeAtOnce(attempt, checkpoint);
  try {
    await openContext(attempt, false);
  } catch (error) {
    return afterError(error, attempt, checkpoint, false);
  }
  await attempt.sleep(Math.max(0, attempt.post.due_at - attempt.now()));
  await storeIntent(attempt, checkpoint);
  // The platform refused the credentials, and with them the request: its outcome is known.
  const renewed = async () => {
    await attempt.lease.save(withoutIntent(attempt.lease.destination));
    const context = await openContext(attempt, true);
    await storeIntent(attempt, checkpoint);
    return context;
  };
  try {
    const run = (context: StepContext<unknown>) =>
      step.run({ ...context, repeatedAfterLoss: repeated }, checkpoint);
    const result = await withRenewal(attempt, run, renewed);
    switch (result.type) {
      case 'published':
        return live(attempt, result.post, result.state);
      case 'back':
        return resumeAtOnce(attempt, { step: result.step, state: result.state });
      case 'wait': {
        const after = { step: step.name, state: result.state };
        return waitForPlatform(attempt, after, result.delayMs, attempt.lease.destination.waits ?? 0);
      }
      case 'again':
      case 'next':
        return resumeAtOnce(attempt, { step: step.name, state: result.state });
    }
  } catch (error) {
    return afterError(error, attempt, checkpoint, true);
  }
}

/** Stores the intent of a commit. */
async function storeIntent(attempt: Attempt, checkpoint: Checkpoint): Promise<void> {
  const stored = await attempt.checkpoints.put(checkpoint);
  await attempt.lease.save(withIntent(attempt.lease.destination, stored, attempt.now()));
}

/** Asks the platform what became of a commit. */
async function reconcile(
  attempt: Attempt,
  steps: readonly PlannedStep[],
  checkpoint: Checkpoint,
  intent: CommitIntent,
): Promise<AttemptOutcome | 'absent'> {
  const step = stepNamed(steps, intent.step);
  try {
    const finding = await withRenewal(attempt, context => step.reconcile(context, checkpoint, intent.at));
    switch (finding.type) {
      case 'absent':
        return 'absent';
      case 'published':
        return live(attempt, finding.post, checkpoint.state);
      case 'unknown':
        return failed(COMMIT_LOST(), null);
      case 'wait':
        return reconcileLater(attempt, checkpoint, attempt.now() + processingDelayMs(finding.delayMs, 0));
    }
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    const { code, message, retryAfterMs } = asPlatformError(error);
    if (isAccountLost(failure(code, message)))
      return failed(failure('DELIVERY_UNKNOWN', message), null, true);
    const failures = attempt.lease.destination.failures + 1;
    const at = attempt.now() + backoffMs(failures, retryAfterMs);
    return reconcileLater(attempt, checkpoint, at, { message, failures });
  }
}

/** Keeps the intent and reconciles again at `at`, for up to a day after the first attempt. */
function reconcileLater(
  attempt: Attempt,
  checkpoint: Checkpoint,
  at: number,
  after: { message?: string; failures?: number } = {},
): AttemptOutcome {
  const { failures = attempt.lease.destination.failures, message } = after;
  if (!isTooOld(attempt.lease.destination, at)) {
    return { type: 'wait', checkpoint, at, keepIntent: true, failures };
  }
  return failed(message === undefined ? COMMIT_LOST() : failure('DELIVERY_UNKNOWN', message), null);
}

/**
 * Returns what follows a commit of which the platform has nothing: a retry after the usual delay. Null where its worker
 * died: that failure was counted when the lease was acquired, and the attempt continues.
 */
function afterLostCommit(
  attempt: Attempt,
  checkpoint: Checkpoint,
  intent: CommitIntent,
): AttemptOutcome | null {
  const { destination } = attempt.lease;
  const why = failure('PLATFORM_UNAVAILABLE', 'The publishing request was lost and had no effect');
  const failures = destination.failures + (attempt.takesOver ? 0 : 1);
  const at = Math.max(attempt.now(), intent.at + backoffMs(failures, undefined));
  if (isExhausted(destination, failures, at)) return failed(why, checkpoint);
  if (attempt.takesOver) return null;
  return { type: 'retry', failure: why, at, checkpoint, limit: undefined, lostCommit: true };
}

/**
 * Runs a step while the lease lasts. When the platform refuses the credentials, they are renewed and the step runs once
 * more.
 */
async function withRenewal<T>(
  attempt: Attempt,
  run: (context: StepContext<unknown>) => Promise<T>,
  renewed = () => openContext(attempt, true),
): Promise<T> {
  const runLeased = (context: StepContext<unknown>) => {
    assertHeld(attempt.lease.destination.lease_until, attempt.now());
    return run(context);
  };
  try {
    return await runLeased(await openContext(attempt, false));
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind !== 'token_expired') throw error;
    return runLeased(await renewed());
  }
}

/** Opens the account. An error here precedes the step's own request, so the outcome of that is not in doubt. */
async function openContext(attempt: Attempt, renew: boolean): Promise<StepContext<unknown>> {
  try {
    return await attempt.context(renew);
  } catch (error) {
    const { kind, code, message, retryAfterMs } = asPlatformError(error);
    throw new PlatformError({ kind, code, message, retryAfterMs, outcomeUnknown: false });
  }
}

function afterError(
  error: unknown,
  attempt: Attempt,
  checkpoint: Checkpoint,
  committing: boolean,
): AttemptOutcome {
  if (error instanceof LeaseLost) throw error;
  const decision = decide(error, attempt.lease.destination, committing, attempt.now());
  switch (decision.type) {
    case 'reconcile':
      return { type: 'wait', checkpoint, at: attempt.now() + attempt.settleMs, keepIntent: true };
    case 'retry':
      return { ...decision, checkpoint };
    case 'fail':
      return failed(decision.failure, checkpoint);
  }
}

const live = ({ publisher, job }: Attempt, post: PublishedPost, committed: JsonObject): AttemptOutcome => ({
  type: 'published',
  post,
  followUps: publisher.followUps(job).map(({ name, start }) => ({ name, state: start(committed) })),
});

const isDue = (attempt: Attempt) => attempt.post.due_at - attempt.now() <= EARLY_MS;

const isOutOfTime = (attempt: Attempt) => attempt.remainingMs() < attempt.stepReserveMs;

const waitForPlatform = (
  attempt: Attempt,
  checkpoint: Checkpoint,
  hintMs: number,
  waits: number,
): AttemptOutcome => ({
  type: 'wait',
  checkpoint,
  at: processingWaitUntil(attempt.now(), attempt.post.due_at, hintMs, waits),
  keepIntent: false,
  waits: waits + 1,
});

const resumeAtOnce = (attempt: Attempt, checkpoint: Checkpoint): AttemptOutcome => ({
  type: 'wait',
  checkpoint,
  at: attempt.now(),
  keepIntent: false,
});

function stepNamed(steps: readonly PlannedStep[], name: string): PlannedStep {
  const step = steps.find(each => each.name === name);
  if (!step) throw new Error(`The publisher has no step ${name}`);
  return step;
}

function nameAfter(steps: readonly PlannedStep[], step: PlannedStep): string {
  const next = steps[steps.indexOf(step) + 1];
  if (!next) throw new Error(`No step follows ${step.name}`);
  return next.name;
}
