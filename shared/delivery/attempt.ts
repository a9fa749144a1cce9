import type { Checkpoint, CommitIntent, DestinationOf, PublishedPost } from '../model/destination.ts';
import { failure, meansLostAccount, type Failure } from '../model/failure.ts';
import type { Post } from '../model/post.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import type { PlannedStep, PublishJob, Publisher, StepContext } from '../platforms/contract/publisher.ts';
import { asPlatformError, decide } from './outcome.ts';
import { backoffMs, isExhausted, isTooOld } from './retry.ts';
import { EARLY_MS } from './timing.ts';
import { advanced, withIntent, withoutIntent } from './transitions.ts';

/** How an attempt ends. Nothing of it is written yet; `deliver` stores it. */
export type AttemptOutcome =
  /** `finishes`: steps follow the commit. */
  | { type: 'published'; post: PublishedPost; finishes: boolean }
  /** `accountLost`: the credentials are refused for good, whatever the failure says of the post. */
  | { type: 'failed'; failure: Failure; accountLost: boolean }
  /** Nothing is to be done before `at`. `keepMark`: a commit's outcome must be asked for then. */
  | { type: 'wait'; checkpoint: Checkpoint; at: number; keepIntent: boolean; failures?: number }
  /** `lostOnce`: a commit was lost, and the platform has nothing of it. */
  | {
      type: 'retry';
      checkpoint: Checkpoint;
      failure: Failure;
      at: number;
      limit: number | undefined;
      lostCommit?: boolean;
    }
  /** The account's daily cap is reached until `at`; nothing was begun. */
  | { type: 'capped'; failure: Failure; at: number };

/** What an attempt works with. */
export interface Attempt {
  post: Post;
  job: PublishJob;
  publisher: Publisher;
  /** A context with credentials; `renew` asks for refreshed ones (PlatformError when the grant is dead). */
  context: (renew: boolean) => Promise<StepContext>;
  /** Stores the holder's progress. Throws LeaseLost when somebody else took over. */
  save: (to: DestinationOf<'publishing'>) => Promise<void>;
  sleep: (ms: number) => Promise<void>;
  now: () => number;
  /** What is left of this invocation. Milliseconds. */
  remainingMs: () => number;
  settleMs: number;
  /** Milliseconds that a step may still need when it begins. */
  stepReserveMs: number;
  /** The worker before this one died. */
  takesOver: boolean;
}

/** Somebody else holds the destination now; whatever this worker still has in hand is void. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/**
 * Works on a claimed destination until it is published, failed, or must wait.
 *
 * A mark left by an earlier attempt means: a commit was sent, and nobody knows what came of it. The platform is asked
 * before anything else, and only its word that nothing is there opens the way to another commit.
 */
export async function runAttempt(
  attempt: Attempt,
  destination: DestinationOf<'publishing'>,
): Promise<AttemptOutcome> {
  const steps = attempt.publisher.plan(attempt.job);
  let held = destination;
  let checkpoint = held.checkpoint ?? attempt.publisher.start(attempt.job);

  if (held.intent) {
    const found = await ask(attempt, held, steps, checkpoint, held.intent);
    if (found !== 'absent') return found;
    const ended = afterLost(attempt, held, checkpoint, held.intent);
    if (ended) return ended;
    held = { ...held, lost_commit: true };
  } else if (attempt.takesOver && isExhausted(held, held.failures, attempt.now())) {
    return fails(failure('INTERNAL', 'The service failed on every attempt'));
  }

  for (;;) {
    const step = stepNamed(steps, checkpoint.step);
    if (step.kind === 'commit') return commit(attempt, held, steps, checkpoint);
    if (outOfTime(attempt)) return goOnLater(attempt, checkpoint);
    try {
      const result = await withRenewal(attempt, context => step.run(context, checkpoint));
      if (result.type === 'published' || result.type === 'back') throw new Error(`${step.name} is no commit`);
      checkpoint = {
        step: result.type === 'next' ? nameAfter(steps, step) : step.name,
        state: result.state,
      };
      if (result.type === 'wait') return waitFor(attempt, checkpoint, result.delayMs);
    } catch (error) {
      return whenFailed(error, attempt, held, checkpoint, false);
    }
    // Before a commit that follows at once, the mark carries the checkpoint: one write instead of two.
    if (stepNamed(steps, checkpoint.step).kind === 'commit' && isDue(attempt)) continue;
    held = advanced(held, checkpoint);
    await attempt.save(held);
  }
}

/** Sends the request that makes the post visible: not before its time, and never without the mark. */
async function commit(
  attempt: Attempt,
  held: DestinationOf<'publishing'>,
  steps: readonly PlannedStep[],
  checkpoint: Checkpoint,
): Promise<AttemptOutcome> {
  if (!isDue(attempt)) return { type: 'wait', checkpoint, at: attempt.post.due_at, keepIntent: false };
  if (outOfTime(attempt)) return goOnLater(attempt, checkpoint);
  const step = stepNamed(steps, checkpoint.step);
  try {
    await openContext(attempt, false);
  } catch (error) {
    return whenFailed(error, attempt, held, checkpoint, false);
  }
  await attempt.sleep(Math.max(0, attempt.post.due_at - attempt.now()));
  let holding = withIntent(held, checkpoint, attempt.now());
  const repeated = held.lost_commit === true;
  await attempt.save(holding);
  // Credentials were refused, and so was the request: it leaves no doubt behind, whatever becomes of their renewal.
  const renewed = async () => {
    await attempt.save((holding = withoutIntent(holding)));
    const context = await openContext(attempt, true);
    await attempt.save((holding = withIntent(holding, checkpoint, attempt.now())));
    return context;
  };
  try {
    const run = (context: StepContext) => step.run({ ...context, repeatedAfterLoss: repeated }, checkpoint);
    const result = await withRenewal(attempt, run, renewed);
    if (result.type === 'published') return live(steps, result.post);
    const after = { step: result.type === 'back' ? result.step : step.name, state: result.state };
    return waitFor(attempt, after, result.type === 'wait' ? result.delayMs : 0);
  } catch (error) {
    return whenFailed(error, attempt, holding, checkpoint, true);
  }
}

/** Asks the platform what came of a marked commit. */
async function ask(
  attempt: Attempt,
  held: DestinationOf<'publishing'>,
  steps: readonly PlannedStep[],
  checkpoint: Checkpoint,
  intent: CommitIntent,
): Promise<AttemptOutcome | 'absent'> {
  const step = stepNamed(steps, intent.step);
  try {
    const finding = await withRenewal(attempt, context => step.reconcile(context, checkpoint, intent.at));
    if (finding.type === 'absent') return 'absent';
    if (finding.type === 'published') return live(steps, finding.post);
    return fails(
      failure('DELIVERY_UNKNOWN', 'The answer to the publishing request was lost; it may be live'),
    );
  } catch (error) {
    return askLater(error, attempt, held, checkpoint);
  }
}

/** The question failed, not the commit: it is asked again, under the same mark, as long as there is hope. */
function askLater(
  error: unknown,
  attempt: Attempt,
  held: DestinationOf<'publishing'>,
  checkpoint: Checkpoint,
): AttemptOutcome {
  const { code, message, retryAfterMs } = asPlatformError(error);
  const failures = held.failures + 1;
  const at = attempt.now() + backoffMs(failures, retryAfterMs);
  const accountLost = meansLostAccount(failure(code, message));
  if (accountLost || isTooOld(held, at)) return fails(failure('DELIVERY_UNKNOWN', message), accountLost);
  return { type: 'wait', checkpoint, at, keepIntent: true, failures };
}

/**
 * A commit that came to nothing is a fault like any other: it is sent again after the wait that its fault earns. Where
 * its worker died, that fault was counted when this attempt began, and it goes on at once (null).
 */
function afterLost(
  attempt: Attempt,
  held: DestinationOf<'publishing'>,
  checkpoint: Checkpoint,
  intent: CommitIntent,
): AttemptOutcome | null {
  const why = failure('PLATFORM_UNAVAILABLE', 'The publishing request was lost, and nothing of it is live');
  const failures = held.failures + (attempt.takesOver ? 0 : 1);
  const at = Math.max(attempt.now(), intent.at + backoffMs(failures, undefined));
  if (isExhausted(held, failures, at)) return fails(why);
  if (attempt.takesOver) return null;
  return { type: 'retry', failure: why, at, checkpoint, limit: undefined, lostCommit: true };
}

/** Runs a step; refused credentials are renewed once and the step repeated. */
async function withRenewal<T>(
  attempt: Attempt,
  run: (context: StepContext) => Promise<T>,
  renewed = () => openContext(attempt, true),
): Promise<T> {
  try {
    return await run(await openContext(attempt, false));
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind !== 'token_expired') throw error;
    return run(await renewed());
  }
}

/** Opens the account. Whatever fails here fails before the step's own request: nothing of it is in doubt. */
async function openContext(attempt: Attempt, renew: boolean): Promise<StepContext> {
  try {
    return await attempt.context(renew);
  } catch (error) {
    const { kind, code, message, retryAfterMs } = asPlatformError(error);
    throw new PlatformError({ kind, code, message, retryAfterMs, outcomeUnknown: false });
  }
}

function whenFailed(
  error: unknown,
  attempt: Attempt,
  held: DestinationOf<'publishing'>,
  checkpoint: Checkpoint,
  committing: boolean,
): AttemptOutcome {
  if (error instanceof LeaseLost) throw error;
  const decision = decide(error, held, committing, attempt.now());
  switch (decision.type) {
    case 'ask':
      return { type: 'wait', checkpoint, at: attempt.now() + attempt.settleMs, keepIntent: true };
    case 'retry':
      return { ...decision, checkpoint };
    case 'fail':
      return fails(decision.failure);
  }
}

const fails = (why: Failure, accountLost = meansLostAccount(why)): AttemptOutcome => ({
  type: 'failed',
  failure: why,
  accountLost,
});

const isDue = (attempt: Attempt) => attempt.post.due_at - attempt.now() <= EARLY_MS;

const outOfTime = (attempt: Attempt) => attempt.remainingMs() < attempt.stepReserveMs;

const live = (steps: readonly PlannedStep[], post: PublishedPost): AttemptOutcome => ({
  type: 'published',
  post,
  finishes: steps.some(step => step.kind === 'finish'),
});

const waitFor = (attempt: Attempt, checkpoint: Checkpoint, delayMs: number): AttemptOutcome => ({
  type: 'wait',
  checkpoint,
  at: attempt.now() + delayMs,
  keepIntent: false,
});

const goOnLater = (attempt: Attempt, checkpoint: Checkpoint): AttemptOutcome =>
  waitFor(attempt, checkpoint, 0);

function stepNamed(steps: readonly PlannedStep[], name: string): PlannedStep {
  const step = steps.find(each => each.name === name);
  if (!step) throw new Error(`The publisher has no step ${name}`);
  return step;
}

function nameAfter(steps: readonly PlannedStep[], step: PlannedStep): string {
  const next = steps[steps.indexOf(step) + 1];
  if (!next) throw new Error(`Nothing follows ${step.name}`);
  return next.name;
}
