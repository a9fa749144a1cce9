import {
  pendingFollowUps,
  type Destination,
  type DestinationOf,
  type FollowUpState,
  type PublishedPost,
} from '../model/destination.ts';
import { failure, type Failure } from '../model/failure.ts';
import type { Post } from '../model/post.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import type { FollowUpResult, PlannedFollowUp, StepContext } from '../platforms/contract/publisher.ts';
import { RULES } from '../platforms/registry.ts';
import type { JsonObject } from '../model/json.ts';
import { openDeliveryContext, type DeliveryContext } from './context.ts';
import { assertHeld, holdLease, LeaseLost } from './lease.ts';
import { ACCOUNT_GONE, asPlatformError, decide, isWaitForQuota } from './outcome.ts';
import { backoffMs, FULL_BUDGET, isExhausted, isTooOld } from './retry.ts';
import type { DeliveryRun } from './run.ts';
import { saveSwept } from './sweep.ts';
import { processingDelayMs } from './timing.ts';
import { failed, followUpChanged, followUpLeased } from './transitions.ts';

type Published = DestinationOf<'published'>;

/** How a worker leaves a follow-up. */
type FollowUpOutcome =
  | { type: 'done'; state?: JsonObject; amend?: Partial<PublishedPost> }
  | { type: 'failed'; failure: Failure }
  /** The platform withdrew the post. */
  | { type: 'revoked'; failure: Failure }
  /** Run it again, or reconcile it where `change` keeps its intent, at `at`. */
  | { type: 'later'; at: number; change: Partial<FollowUpState> };

/** A follow-up under this worker's lease, as it was stored last. */
interface LeasedFollowUp {
  readonly state: FollowUpState;
  readonly destination: Published;
  /** Stores a change and keeps the lease. Throws LeaseLost when another worker acquired it. */
  save: (change: Partial<FollowUpState>) => Promise<void>;
}

/** What running a follow-up works with. */
interface Run extends DeliveryRun {
  followUp: PlannedFollowUp;
  leased: LeasedFollowUp;
  open: (renew: boolean) => Promise<StepContext<unknown>>;
  reserveMs: number;
}

/**
 * Runs the follow-up that is due, under a lease. Returns the post and the destination after it, or null when another
 * worker changed the destination.
 *
 * A follow-up that is not idempotent has an intent while its request is in flight. When the response is lost, the
 * platform is asked what became of it; where it cannot be asked, the follow-up fails rather than run twice.
 */
export async function runNextFollowUp(
  run: DeliveryRun,
  post: Post,
  destination: Published,
): Promise<{ post: Post; destination: Destination } | null> {
  const next = nextFollowUp(destination, run.services.now());
  const context = await openDeliveryContext(run, post, destination);
  try {
    const planned = context?.publisher.followUps(context.job).find(({ name }) => name === next.name);
    // Before the lease, so that a worker that dies while it opens the account leaves no intent.
    const opened = context && (await openAccount(context));
    const intent = planned?.idempotent === false && opened?.type === 'opened';
    const leasedTo = followUpLeased(destination, next.name, run.services.now(), intent);
    const held = await saveSwept(run.services, post, destination, leasedTo);
    if (!held) return null;

    const lease = holdLease(held, leasedTo, (before, from, to) => saveSwept(run.services, before, from, to));
    const leased: LeasedFollowUp = {
      get state() {
        return stateOf(lease.destination, next.name);
      },
      get destination() {
        return lease.destination;
      },
      save: change => lease.save(followUpChanged(lease.destination, next.name, change, { release: false })),
    };
    const outcome = await outcomeOf(run, leased, next, context, planned, opened);
    const to = afterOutcome(lease.destination, next.name, outcome, run.services.now());
    const after = await saveSwept(run.services, lease.post, lease.destination, to);
    return after && { post: after, destination: to };
  } catch (error) {
    if (error instanceof LeaseLost) return null;
    throw error;
  } finally {
    context?.close();
  }
}

/** Returns the follow-up of the expired lease, else the first that is due. */
function nextFollowUp(destination: Published, now: number): FollowUpState {
  const pending = pendingFollowUps(destination);
  const { lease } = destination;
  const next = lease
    ? pending.find(({ name }) => name === lease.follow_up)
    : pending.toSorted((a, b) => Math.max(now, a.next_attempt_at) - Math.max(now, b.next_attempt_at))[0];
  if (!next) throw new Error('The destination has no pending follow-up');
  return next;
}

function stateOf(destination: Published, name: string): FollowUpState {
  const state = destination.follow_ups.find(each => each.name === name);
  if (!state) throw new Error(`The destination has no follow-up ${name}`);
  return state;
}

type Opened = { type: 'opened' } | { type: 'error'; error: unknown };

async function openAccount({ context }: DeliveryContext): Promise<Opened> {
  try {
    await context(false);
    return { type: 'opened' };
  } catch (error) {
    return { type: 'error', error };
  }
}

async function outcomeOf(
  run: DeliveryRun,
  leased: LeasedFollowUp,
  before: FollowUpState,
  context: DeliveryContext | null,
  followUp: PlannedFollowUp | undefined,
  opened: Opened | null,
): Promise<FollowUpOutcome> {
  const now = run.services.now();
  const code = before.intent ? 'DELIVERY_UNKNOWN' : null;
  if (!context || !opened) return { type: 'failed', failure: failure(code ?? 'TOKEN_EXPIRED', ACCOUNT_GONE) };
  if (!followUp) {
    return {
      type: 'failed',
      failure: failure(code ?? 'INTERNAL', `This version of the service has no ${before.name}`),
    };
  }
  if (isExhausted(leased.state, leased.state.failures, now)) {
    return { type: 'failed', failure: failure(code ?? 'INTERNAL', 'The service failed on every attempt') };
  }
  if (opened.type === 'error') return afterError(opened.error, leased.state, now, before.intent !== null);
  const each: Run = { ...run, followUp, leased, open: context.context, reserveMs: context.stepReserveMs };
  return before.intent ? reconcileFollowUp(each, before.intent.at) : runFollowUp(each);
}

/** Runs a follow-up until it ends, waits or the invocation runs out of time. */
async function runFollowUp(run: Run): Promise<FollowUpOutcome> {
  const { followUp, leased, services } = run;
  for (;;) {
    try {
      const result = await withRenewal(run);
      switch (result.type) {
        case 'done':
          return result;
        case 'rejected':
          return { type: result.revokes ? 'revoked' : 'failed', failure: result.failure };
        case 'wait': {
          const waits = leased.state.waits;
          const at = services.now() + processingDelayMs(result.delayMs, waits);
          if (isTooOld(leased.state, at)) return { type: 'failed', failure: unfinished(followUp.name) };
          return {
            type: 'later',
            at,
            change: { state: result.state, intent: null, failures: 0, waits: waits + 1 },
          };
        }
        case 'again': {
          const change = { state: result.state, failures: 0, waits: 0 };
          const outOfTime = run.remainingMs() < run.reserveMs;
          if (outOfTime) return { type: 'later', at: services.now(), change: { ...change, intent: null } };
          await leased.save({ ...change, intent: intentFor(followUp, services.now()) });
        }
      }
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      return afterRunError(run, error);
    }
  }
}

const intentFor = ({ idempotent }: PlannedFollowUp, at: number) => (idempotent ? null : { at });

function afterRunError(run: Run, error: unknown): FollowUpOutcome {
  const { followUp, leased, services } = run;
  const inDoubt = !followUp.idempotent && asPlatformError(error).outcomeUnknown;
  if (!inDoubt) return afterError(error, leased.state, services.now(), false);
  if (!followUp.reconcile) return { type: 'failed', failure: lost(followUp.name) };
  return { type: 'later', at: services.now() + settleMs(leased.destination), change: {} };
}

/** Asks the platform what became of a run whose response was lost. Runs it again when the platform has nothing. */
async function reconcileFollowUp(run: Run, intentAt: number): Promise<FollowUpOutcome> {
  const { followUp, leased, services } = run;
  if (!followUp.reconcile) return { type: 'failed', failure: lost(followUp.name) };
  const now = services.now();
  try {
    const context = await run.open(false);
    const finding = await followUp.reconcile(
      context,
      leased.state.state,
      postOf(leased.destination),
      intentAt,
    );
    switch (finding.type) {
      case 'done':
        return finding;
      case 'unknown':
        return { type: 'failed', failure: lost(followUp.name) };
      case 'wait':
        return reconcileLater(run, now + processingDelayMs(finding.delayMs, 0), {});
      case 'absent':
        return await afterAbsent(run, intentAt);
    }
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    const failures = leased.state.failures + 1;
    const { retryAfterMs } = asPlatformError(error);
    return reconcileLater(run, now + backoffMs(failures, retryAfterMs), { failures });
  }
}

/** A lost run is a failure like any other: it is repeated after the usual delay, unless that has passed. */
async function afterAbsent(run: Run, intentAt: number): Promise<FollowUpOutcome> {
  const { leased, services, followUp } = run;
  const now = services.now();
  const failures = Math.max(1, leased.state.failures);
  const at = intentAt + backoffMs(failures, undefined);
  if (at > now) return { type: 'later', at, change: { intent: null, failures } };
  await leased.save({ intent: intentFor(followUp, now), failures });
  return runFollowUp(run);
}

function reconcileLater(
  { leased, followUp }: Run,
  at: number,
  change: Partial<FollowUpState>,
): FollowUpOutcome {
  if (isTooOld(leased.state, at)) return { type: 'failed', failure: lost(followUp.name) };
  return { type: 'later', at, change };
}

/** Runs a follow-up once; renews the credentials and repeats it when the platform refuses them. */
async function withRenewal(run: Run): Promise<FollowUpResult<JsonObject>> {
  const { followUp, leased, services, open } = run;
  const once = (context: StepContext<unknown>) => {
    assertHeld(leased.destination.lease?.until ?? 0, services.now());
    return followUp.run(context, leased.state.state, postOf(leased.destination));
  };
  const context = await open(false);
  try {
    return await once(context);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind !== 'token_expired') throw error;
    // The platform refused the credentials, and with them the request: its outcome is known.
    await leased.save({ intent: null });
    const renewed = await open(true);
    await leased.save({ intent: intentFor(followUp, services.now()) });
    return once(renewed);
  }
}

function afterError(error: unknown, state: FollowUpState, now: number, keepIntent: boolean): FollowUpOutcome {
  const decision = decide(error, state, false, now);
  if (decision.type !== 'retry') {
    const { code, message } = asPlatformError(error);
    return { type: 'failed', failure: failure(keepIntent ? 'DELIVERY_UNKNOWN' : code, message) };
  }
  if (keepIntent) return { type: 'later', at: decision.at, change: { failures: state.failures + 1 } };
  const budget = isWaitForQuota(decision.failure) ? FULL_BUDGET : { failures: state.failures + 1 };
  return { type: 'later', at: decision.at, change: { ...budget, intent: null } };
}

function afterOutcome(
  destination: Published,
  name: string,
  outcome: FollowUpOutcome,
  now: number,
): Destination {
  const end = { release: true, amend: {} };
  switch (outcome.type) {
    case 'done': {
      const { state = stateOf(destination, name).state, amend = {} } = outcome;
      return followUpChanged(destination, name, { status: 'done', state, intent: null }, { ...end, amend });
    }
    case 'failed': {
      const change = { status: 'failed' as const, intent: null, error: outcome.failure };
      return followUpChanged(destination, name, change, end);
    }
    case 'revoked':
      return failed(destination, outcome.failure, now);
    case 'later':
      return followUpChanged(destination, name, { ...outcome.change, next_attempt_at: outcome.at }, end);
  }
}

const lost = (name: string) =>
  failure('DELIVERY_UNKNOWN', `The response to ${name} was lost; it may have taken effect`);

const unfinished = (name: string) =>
  failure('PLATFORM_UNAVAILABLE', `The platform did not finish ${name} within a day`);

const settleMs = ({ platform }: Destination) => RULES[platform].settle_ms;

const postOf = ({ platform_post_id, platform_post_url, published_at }: Published): PublishedPost => ({
  platform_post_id,
  platform_post_url,
  published_at,
});
