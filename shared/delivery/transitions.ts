import {
  isFinal,
  type Checkpoint,
  type Destination,
  type DestinationOf,
  type PublishedPost,
} from '../model/destination.ts';
import type { EventKind } from '../model/event.ts';
import { meansLostAccount, type Failure } from '../model/failure.ts';
import { leaseUntil } from './timing.ts';

/*
 * Every way in which a destination changes, as pure functions. None writes anything: `saveDestination` does, on the
 * condition that the destination is still what the function was given.
 */

type Progress = Pick<DestinationOf<'publishing'>, 'checkpoint' | 'intent' | 'lost_commit'>;

const FRESH: Progress = { checkpoint: null, intent: null };

function progressOf(destination: Destination): Progress {
  const started = 'checkpoint' in destination;
  if (!started) return FRESH;
  const { checkpoint, intent, lost_commit } = destination;
  return { checkpoint, intent, ...(lost_commit && { lost_commit }) };
}

function common(destination: Destination, now: number, outbox: readonly EventKind[] = []) {
  const { platform, social_account_id, revision, attempts, failures, first_attempt_at } = destination;
  return {
    platform,
    social_account_id,
    revision: revision + 1,
    attempts,
    failures,
    first_attempt_at,
    changed_at: now,
    outbox: [...outbox],
  };
}

/**
 * A worker takes the destination for itself. Going on where the platform was waited for is no new attempt; taking over
 * from a worker that died is one, and its death was a fault.
 */
export function leased(destination: Destination, now: number): DestinationOf<'publishing'> {
  if (isFinal(destination)) throw new Error('A final destination is not claimed');
  const goesOn = destination.status === 'processing';
  return {
    ...common(destination, now),
    ...progressOf(destination),
    status: 'publishing',
    attempts: destination.attempts + (goesOn ? 0 : 1),
    failures: destination.failures + (destination.status === 'publishing' ? 1 : 0),
    first_attempt_at: destination.first_attempt_at ?? now,
    lease_until: leaseUntil(destination, now),
  };
}

/** The holder got further: the next step's note is kept, and faults before it count no more. */
export function advanced(
  destination: DestinationOf<'publishing'>,
  checkpoint: Checkpoint,
): DestinationOf<'publishing'> {
  return { ...destination, checkpoint, intent: null, failures: 0, revision: destination.revision + 1 };
}

/** The holder is about to send what must not be sent twice. */
export function withIntent(
  destination: DestinationOf<'publishing'>,
  checkpoint: Checkpoint,
  now: number,
): DestinationOf<'publishing'> {
  const intent = { step: checkpoint.step, at: now };
  return { ...destination, checkpoint, intent, revision: destination.revision + 1 };
}

/** The platform refused what must not be sent twice: nothing of it is in doubt. */
export function withoutIntent(destination: DestinationOf<'publishing'>): DestinationOf<'publishing'> {
  return { ...destination, intent: null, revision: destination.revision + 1 };
}

/** The holder lets go until `at`: the platform is working, the post is not due yet, or an outcome must settle. */
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

/** A fault that a later attempt may not meet; `faults`: how many it stands for. */
export function retrying(
  destination: Destination,
  progress: Partial<Progress>,
  error: Failure,
  at: number,
  now: number,
  failures = 1,
): DestinationOf<'retrying'> {
  return {
    ...common(destination, now, ['post.retry']),
    ...progressOf(destination),
    ...progress,
    status: 'retrying',
    failures: destination.failures + failures,
    next_attempt_at: at,
    error,
  };
}

/** The daily cap of the account is reached. No fault of the destination: its budget of retries starts afresh. */
export function deferred(
  destination: DestinationOf<'publishing'>,
  error: Failure,
  at: number,
  now: number,
): DestinationOf<'retrying'> {
  return { ...retrying(destination, {}, error, at, now), failures: 0, first_attempt_at: null };
}

export function published(
  destination: DestinationOf<'publishing'>,
  post: PublishedPost,
  hasFirstComment: boolean,
  now: number,
): DestinationOf<'published'> {
  return {
    ...common(destination, now, ['post.published']),
    ...post,
    status: 'published',
    first_comment: hasFirstComment ? { status: 'pending', error: null } : null,
  };
}

/** `accountLost`: its owner must hear that the account is to be connected again. */
export function failed(
  destination: Destination,
  error: Failure,
  now: number,
  accountLost = meansLostAccount(error),
): DestinationOf<'failed'> {
  return {
    ...common(destination, now, accountLost ? ['post.failed', 'post.token_expired'] : ['post.failed']),
    status: 'failed',
    error,
  };
}

/** The owed events are on their queue. */
export function withOutboxSent<D extends Destination>(destination: D): D {
  return { ...destination, outbox: [], revision: destination.revision + 1 };
}

/** A failed destination is to be tried again, as if it were new; its attempts go on counting, so events stay distinct. */
export function reopened(destination: Destination, now: number): DestinationOf<'pending'> {
  return { ...common(destination, now), status: 'pending', failures: 0, first_attempt_at: null };
}
