import {
  isFinal,
  type Destination,
  type DestinationOf,
  type FollowUpState,
  type PublishedPost,
  type StoredCheckpoint,
} from '../model/destination.ts';
import type { DestinationEventKind } from '../model/event.ts';
import { failure, isAccountLost, type Failure } from '../model/failure.ts';
import { dueFollowUpsChanged } from './follow-up-transitions.ts';
import { leaseUntil } from './lease.ts';
import { FULL_BUDGET } from './retry.ts';

/*
 * Every change of a destination, as pure functions. `saveDestination` stores a result on the condition that the
 * destination is still what the function was given.
 */

type Progress = Pick<DestinationOf<'publishing'>, 'checkpoint' | 'intent' | 'lost_commit' | 'waits'>;

const NO_PROGRESS: Progress = { checkpoint: null, intent: null };

function progressOf(destination: Destination): Progress {
  if (!('checkpoint' in destination)) return NO_PROGRESS;
  const { checkpoint, intent, lost_commit, waits } = destination;
  return { checkpoint, intent, ...(lost_commit && { lost_commit }), ...(waits && { waits }) };
}

function common(destination: Destination, now: number, outbox: readonly DestinationEventKind[] = []) {
  const { platform, social_account_id, target_id, revision, attempts, failures, first_attempt_at } =
    destination;
  return {
    platform,
    social_account_id,
    ...(target_id !== undefined && { target_id }),
    revision: revision + 1,
    attempts,
    failures,
    first_attempt_at,
    changed_at: now,
    outbox: [...outbox],
  };
}

/**
 * A worker acquires the lease. Resuming after a wait is not a new attempt; acquiring the expired lease of a dead worker
 * is one, and counts as a failure.
 */
export function leased(destination: Destination, now: number): DestinationOf<'publishing'> {
  if (isFinal(destination)) throw new Error('A final destination cannot be leased');
  const resumes = destination.status === 'processing';
  return {
    ...common(destination, now),
    ...progressOf(destination),
    status: 'publishing',
    attempts: destination.attempts + (resumes ? 0 : 1),
    failures: destination.failures + (destination.status === 'publishing' ? 1 : 0),
    first_attempt_at: destination.first_attempt_at ?? now,
    lease_until: leaseUntil(destination, now),
  };
}

/** A step succeeded: its checkpoint is stored, and earlier failures and waits no longer count. */
export function advanced(
  destination: DestinationOf<'publishing'>,
  checkpoint: StoredCheckpoint,
): DestinationOf<'publishing'> {
  const revision = destination.revision + 1;
  return { ...destination, checkpoint, intent: null, failures: 0, waits: 0, revision };
}

/** A commit is about to be sent. `repeated`: an earlier one was lost and had no effect. */
export function withIntent(
  destination: DestinationOf<'publishing'>,
  checkpoint: StoredCheckpoint,
  now: number,
  repeated = false,
): DestinationOf<'publishing'> {
  const intent = { step: checkpoint.step, at: now };
  const lost = repeated && { lost_commit: true };
  return { ...destination, ...lost, checkpoint, intent, revision: destination.revision + 1 };
}

/** The platform refused the commit, so its outcome is known. */
export function withoutIntent(destination: DestinationOf<'publishing'>): DestinationOf<'publishing'> {
  return { ...destination, intent: null, revision: destination.revision + 1 };
}

/** The lease is released until `at`: the platform is processing, the post is not due, or reads must catch up. */
export function waiting(
  destination: DestinationOf<'publishing'>,
  progress: Partial<Progress & { failures: number }>,
  at: number,
  now: number,
): DestinationOf<'processing'> {
  return {
    ...common(destination, now),
    ...progressOf(destination),
    ...progress,
    status: 'processing',
    next_attempt_at: at,
  };
}

/** An attempt failed and is retried at `at`. `failures`: consecutive ones, this one included. */
export function retrying(
  destination: Destination,
  progress: Partial<Progress>,
  error: Failure,
  at: number,
  now: number,
  failures = destination.failures + 1,
): DestinationOf<'retrying'> {
  return {
    ...common(destination, now, ['post.retry']),
    ...progressOf(destination),
    ...progress,
    status: 'retrying',
    failures,
    next_attempt_at: at,
    error,
  };
}

/** The daily cap or a quota is reached. That is not a failure of the post, so its retry budget starts again. */
export function deferred(
  destination: DestinationOf<'publishing'>,
  progress: Partial<Progress>,
  error: Failure,
  at: number,
  now: number,
): DestinationOf<'retrying'> {
  return { ...retrying(destination, progress, error, at, now), ...FULL_BUDGET };
}

/** The post is live. `followUps`: the name and first state of each follow-up. */
export function published(
  destination: DestinationOf<'publishing'>,
  post: PublishedPost,
  followUps: readonly Pick<FollowUpState, 'name' | 'state'>[],
  now: number,
): DestinationOf<'published'> {
  return {
    ...common(destination, now, ['post.published']),
    ...post,
    status: 'published',
    follow_ups: followUps.map(({ name, state }) => ({
      name,
      state,
      status: 'pending',
      attempts: 0,
      ...FULL_BUDGET,
      next_attempt_at: now,
      waits: 0,
      intent: null,
      error: null,
    })),
    lease: null,
  };
}

/**
 * The destination failed for good. `accountLost`: its owner must reconnect the account. `abandoned`: the checkpoint
 * whose leftovers at the platform are to be discarded.
 */
export function failed(
  destination: Destination,
  error: Failure,
  now: number,
  accountLost = isAccountLost(error),
  abandoned: StoredCheckpoint | null = null,
): DestinationOf<'failed'> {
  return {
    ...common(destination, now, accountLost ? ['post.failed', 'post.token_expired'] : ['post.failed']),
    status: 'failed',
    error,
    abandoned,
  };
}

/** What the failed attempt left at the platform is discarded. */
export function discarded(destination: DestinationOf<'failed'>): DestinationOf<'failed'> {
  return { ...destination, abandoned: null, revision: destination.revision + 1 };
}

/** The events of the outbox are on their queue. */
export function withOutboxSent<D extends Destination>(destination: D): D {
  return { ...destination, outbox: [], revision: destination.revision + 1 };
}

/** A failed destination is published again like a new one. Its attempts keep counting, so that event ids differ. */
export function reopened(destination: Destination, now: number): DestinationOf<'pending'> {
  const { target_id: _, ...fresh } = common(destination, now);
  return { ...fresh, status: 'pending', ...FULL_BUDGET };
}

/** A destination that was not published, and will not be. */
export function cancelled(destination: Destination, now: number): DestinationOf<'cancelled'> {
  return { ...common(destination, now), status: 'cancelled' };
}

/**
 * The service stops working on a destination: it fails, or, where the post is live, its pending follow-ups do. What is
 * in doubt fails with DELIVERY_UNKNOWN.
 */
export function givenUp(destination: Destination, why: Failure, now: number): Destination {
  const unknown = failure('DELIVERY_UNKNOWN', why.message);
  if (destination.status !== 'published') {
    const { checkpoint, intent } = progressOf(destination);
    return intent ? failed(destination, unknown, now) : failed(destination, why, now, false, checkpoint);
  }
  const failing = (followUp: FollowUpState) =>
    ({ status: 'failed', intent: null, error: followUp.intent ? unknown : why }) as const;
  return dueFollowUpsChanged(destination, failing, Infinity);
}
