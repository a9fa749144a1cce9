import { isDeepStrictEqual } from 'node:util';
import type { Checkpoint, CommitIntent, PublishedPost } from '../model/destination.ts';
import { failure } from '../model/failure.ts';
import type { JsonObject } from '../model/json.ts';
import type { PlatformError } from '../platforms/contract/error.ts';
import type { PlannedStep, StepContext, StepResult } from '../platforms/contract/publisher.ts';
import { openContext, withRenewal, type Attempt } from './attempt-context.ts';
import { LeaseLost } from './lease.ts';
import { logUnexpected } from './log-unexpected.ts';
import { decide, failed, type AttemptOutcome } from './outcome.ts';
import { isTooOld } from './retry.ts';
import { EARLY_MS, processingDelayMs, processingWaitUntil } from './timing.ts';
import { advanced, withIntent, withoutIntent } from './transitions.ts';

/** Runs the steps from a checkpoint on, and the commit once the post is due. `repeated`: a commit was lost before. */
export async function runSteps(
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
    await attempt.lease.acquire();
    try {
      const result = await withRenewal(attempt, context => step.run(context, checkpoint));
      if (result.type === 'published' || result.type === 'pending') {
        throw new Error(`${step.name} is not a commit step`);
      }
      checkpoint = { step: nextStep(steps, step, result), state: result.state };
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

/** Returns the name of the step that follows a preparing step. */
function nextStep(steps: readonly PlannedStep[], step: PlannedStep, result: StepResult<unknown>): string {
  if (result.type === 'back') return result.step;
  return result.type === 'next' ? nameAfter(steps, step) : step.name;
}

/** Sends the request that makes the post visible: not before it is due, and only after an intent is stored. */
async function commit(
  attempt: Attempt,
  step: PlannedStep,
  checkpoint: Checkpoint,
  repeated: boolean,
): Promise<AttemptOutcome> {
  if (!isDue(attempt)) return { type: 'wait', checkpoint, at: attempt.post.due_at, intent: null };
  if (isOutOfTime(attempt)) return resumeAtOnce(attempt, checkpoint);
  try {
    await openContext(attempt, null);
  } catch (error) {
    return afterError(error, attempt, checkpoint, false);
  }
  await attempt.sleep(Math.max(0, attempt.post.due_at - attempt.now()));
  await storeIntent(attempt, checkpoint, repeated);
  // The platform refused the credentials, and with them the request: its outcome is known.
  const renewed = async (refusal: PlatformError) => {
    await attempt.lease.save(withoutIntent(attempt.lease.destination));
    const context = await openContext(attempt, refusal);
    await storeIntent(attempt, checkpoint, repeated);
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
      case 'pending': {
        const at = attempt.now() + processingDelayMs(result.delayMs, 0);
        const intent = { ...intentOf(attempt), pending: true } as const;
        return { type: 'wait', checkpoint: { step: step.name, state: result.state }, at, intent, waits: 1 };
      }
      case 'again':
      case 'next':
        return resumeAtOnce(attempt, { step: step.name, state: result.state });
    }
  } catch (error) {
    return afterError(error, attempt, checkpoint, true);
  }
}

/** Stores the intent of a commit. The state of a post that is sent at once need not be: it would make most posts exceed a kilobyte. */
async function storeIntent(attempt: Attempt, checkpoint: Checkpoint, repeated: boolean): Promise<void> {
  const { publisher, job, checkpoints } = attempt;
  const isFresh = isDeepStrictEqual(checkpoint.state, publisher.start(job).state);
  const stored = isFresh
    ? ({ step: checkpoint.step, fresh: true } as const)
    : await checkpoints.put(checkpoint);
  await attempt.lease.save(withIntent(attempt.lease.destination, stored, attempt.now(), repeated));
}

/** Returns the intent of the commit that this attempt has sent. */
function intentOf({ lease }: Attempt): CommitIntent {
  const { intent } = lease.destination;
  if (!intent) throw new Error('A commit was sent without an intent');
  return intent;
}

function afterError(
  error: unknown,
  attempt: Attempt,
  checkpoint: Checkpoint,
  committing: boolean,
): AttemptOutcome {
  if (error instanceof LeaseLost) throw error;
  logUnexpected(error, attempt.post, attempt.lease.destination);
  const decision = decide(error, attempt.lease.destination, committing, attempt.now());
  switch (decision.type) {
    case 'reconcile':
      return {
        type: 'wait',
        checkpoint,
        at: attempt.now() + attempt.settleMs,
        intent: { ...intentOf(attempt), answer: decision.answer },
      };
    case 'retry':
      return { ...decision, checkpoint };
    case 'fail':
      return failed(decision.failure, checkpoint, decision.accountLost);
  }
}

export const live = (
  { publisher, job }: Attempt,
  post: PublishedPost,
  committed: JsonObject,
): AttemptOutcome => ({
  type: 'published',
  post,
  followUps: publisher
    .followUps(job)
    .filter(({ isNeeded }) => isNeeded(post))
    .map(({ name, start }) => ({ name, state: start(committed) })),
});

const isDue = (attempt: Attempt) => attempt.post.due_at - attempt.now() <= EARLY_MS;

const isOutOfTime = (attempt: Attempt) => attempt.remainingMs() < attempt.stepReserveMs;

/** Waits for the platform, for a day at most. */
function waitForPlatform(
  attempt: Attempt,
  checkpoint: Checkpoint,
  hintMs: number,
  waits: number,
): AttemptOutcome {
  const at = processingWaitUntil(attempt.now(), attempt.post.due_at, hintMs, waits);
  if (isTooOld(attempt.lease.destination, at)) return failed(unfinished(), checkpoint);
  return { type: 'wait', checkpoint, at, intent: null, waits: waits + 1 };
}

const unfinished = () =>
  failure('PLATFORM_UNAVAILABLE', 'The platform did not finish processing the post within a day');

const resumeAtOnce = (attempt: Attempt, checkpoint: Checkpoint): AttemptOutcome => ({
  type: 'wait',
  checkpoint,
  at: attempt.now(),
  intent: null,
});

export function stepNamed(steps: readonly PlannedStep[], name: string): PlannedStep {
  const step = steps.find(each => each.name === name);
  if (!step) throw new Error(`The publisher has no step ${name}`);
  return step;
}

function nameAfter(steps: readonly PlannedStep[], step: PlannedStep): string {
  const next = steps[steps.indexOf(step) + 1];
  if (!next) throw new Error(`No step follows ${step.name}`);
  return next.name;
}
