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

type Progress = Pick<DestinationOf<'publishing'>, 'checkpoint' | 'mark' | 'lost_once'>;

const FRESH: Progress = { checkpoint: null, mark: null };

function progressOf(destination: Destination): Progress {
  const started = 'checkpoint' in destination;
  if (!started) return FRESH;
  const { checkpoint, mark, lost_once } = destination;
  return { checkpoint, mark, ...(lost_once && { lost_once }) };
}

function common(destination: Destination, now: number, announce: readonly EventKind[] = []) {
  const { platform, social_account_id, revision, attempts, faults, first_attempt_at } = destination;
  return {
    platform,
    social_account_id,
    revision: revision + 1,
    attempts,
    faults,
    first_attempt_at,
    changed_at: now,
    announce: [...announce],
  };
}

/**
 * A worker takes the destination for itself. Going on where the platform was waited for is no new attempt; taking over
 * from a worker that died is one, and its death was a fault.
 */
export function claimed(destination: Destination, now: number): DestinationOf<'publishing'> {
  if (isFinal(destination)) throw new Error('A final destination is not claimed');
  const goesOn = destination.status === 'processing';
  return {
    ...common(destination, now),
    ...progressOf(destination),
    status: 'publishing',
    attempts: destination.attempts + (goesOn ? 0 : 1),
    faults: destination.faults + (destination.status === 'publishing' ? 1 : 0),
    first_attempt_at: destination.first_attempt_at ?? now,
    lease_until: leaseUntil(destination, now),
  };
}

/** The holder got further: the next step's note is kept, and faults before it count no more. */
export function advanced(
  destination: DestinationOf<'publishing'>,
  checkpoint: Checkpoint,
): DestinationOf<'publishing'> {
  return { ...destination, checkpoint, mark: null, faults: 0, revision: destination.revision + 1 };
}

/** The holder is about to send what must not be sent twice. */
export function marked(
  destination: DestinationOf<'publishing'>,
  checkpoint: Checkpoint,
  now: number,
): DestinationOf<'publishing'> {
  const mark = { step: checkpoint.step, at: now };
  return { ...destination, checkpoint, mark, revision: destination.revision + 1 };
}

/** The platform refused what must not be sent twice: nothing of it is in doubt. */
export function unmarked(destination: DestinationOf<'publishing'>): DestinationOf<'publishing'> {
  return { ...destination, mark: null, revision: destination.revision + 1 };
}

/** The holder lets go until `at`: the platform is working, the post is not due yet, or an outcome must settle. */
export function waiting(
  destination: DestinationOf<'publishing'>,
  progress: Partial<Progress & { faults: number }>,
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
  faults = 1,
): DestinationOf<'retrying'> {
  return {
    ...common(destination, now, ['post.retry']),
    ...progressOf(destination),
    ...progress,
    status: 'retrying',
    faults: destination.faults + faults,
    next_attempt_at: at,
    error,
  };
}

/** The daily cap of the account is reached. No fault of the destination: its budget of retries starts afresh. */
export function heldBack(
  destination: DestinationOf<'publishing'>,
  error: Failure,
  at: number,
  now: number,
): DestinationOf<'retrying'> {
  return { ...retrying(destination, {}, error, at, now), faults: 0, first_attempt_at: null };
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
export function announced<D extends Destination>(destination: D): D {
  return { ...destination, announce: [], revision: destination.revision + 1 };
}

/** A failed destination is to be tried again, as if it were new; its attempts go on counting, so events stay distinct. */
export function revived(destination: Destination, now: number): DestinationOf<'pending'> {
  return { ...common(destination, now), status: 'pending', faults: 0, first_attempt_at: null };
}
