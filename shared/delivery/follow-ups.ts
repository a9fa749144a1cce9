import {
  pendingFollowUps,
  type Destination,
  type DestinationOf,
  type FollowUpState,
} from '../model/destination.ts';
import { failure } from '../model/failure.ts';
import type { Post } from '../model/post.ts';
import type { PlannedFollowUp } from '../platforms/contract/publisher.ts';
import { openDeliveryContext, type DeliveryContext } from './context.ts';
import {
  afterFollowUpError,
  type FollowUpOutcome,
  type FollowUpRun,
  type LeasedFollowUp,
} from './follow-up-outcome.ts';
import { followUpChanged, followUpLeased } from './follow-up-transitions.ts';
import { holdLease, LeaseLost } from './lease.ts';
import { logUnexpected } from './log-unexpected.ts';
import { ACCOUNT_GONE } from './outcome.ts';
import { reconcileFollowUp } from './reconcile-follow-up.ts';
import { isExhausted, isTooOld } from './retry.ts';
import type { DeliveryRun } from './run.ts';
import { runFollowUp } from './run-follow-up.ts';
import { saveSwept } from './sweep.ts';
import { failed } from './transitions.ts';

type Published = DestinationOf<'published'>;

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
    const outcome = await outcomeOf(run, post, leased, next, context, planned, opened);
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
    await context(null);
    return { type: 'opened' };
  } catch (error) {
    return { type: 'error', error };
  }
}

async function outcomeOf(
  run: DeliveryRun,
  post: Post,
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
  // A run in doubt is reconciled first, however often it failed.
  const isOver = before.intent
    ? isTooOld(leased.state, now)
    : isExhausted(leased.state, leased.state.failures, now);
  if (isOver) {
    return { type: 'failed', failure: failure(code ?? 'INTERNAL', 'The service failed on every attempt') };
  }
  if (opened.type === 'error') {
    logUnexpected(opened.error, post, leased.destination);
    return afterFollowUpError(opened.error, leased.state, now, before.intent !== null);
  }
  const each: FollowUpRun = {
    ...run,
    followUp,
    leased,
    post,
    open: context.context,
    reserveMs: context.stepReserveMs,
  };
  return before.intent ? reconcileFollowUp(each, before.intent.at) : runFollowUp(each);
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
