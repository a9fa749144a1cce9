import {
  pendingFollowUps,
  type DestinationOf,
  type FollowUpState,
  type PublishedPost,
} from '../model/destination.ts';
import { leaseUntil } from './lease.ts';

/* Every change of the follow-ups of a destination, as pure functions like those of `transitions.ts`. */

/**
 * A worker acquires the lease of a follow-up, and stores its intent where `intent` is set. Acquiring the expired lease
 * of a dead worker counts as a failure of the follow-up that it ran.
 */
export function followUpLeased(
  destination: DestinationOf<'published'>,
  name: string,
  now: number,
  intent: boolean,
): DestinationOf<'published'> {
  const { lease } = destination;
  const isTaken = lease?.follow_up === name;
  const changed = changeFollowUp(destination, name, followUp => ({
    attempts: followUp.attempts + 1,
    failures: followUp.failures + (isTaken ? 1 : 0),
    first_attempt_at: followUp.first_attempt_at ?? now,
    intent: followUp.intent ?? (intent ? { at: now } : null),
  }));
  return { ...changed, lease: { follow_up: name, until: leaseUntil(destination, now) } };
}

/** A follow-up changed. `release`: its worker releases the lease. */
export function followUpChanged(
  destination: DestinationOf<'published'>,
  name: string,
  change: Partial<FollowUpState>,
  { release, amend = {} }: { release: boolean; amend?: Partial<PublishedPost> },
): DestinationOf<'published'> {
  const changed = changeFollowUp(destination, name, () => change);
  return { ...changed, ...amend, lease: release ? null : destination.lease };
}

/** Changes every follow-up that is due, and releases the lease. */
export function dueFollowUpsChanged(
  destination: DestinationOf<'published'>,
  change: (followUp: FollowUpState) => Partial<FollowUpState>,
  now: number,
): DestinationOf<'published'> {
  const due = pendingFollowUps(destination).filter(({ next_attempt_at }) => next_attempt_at <= now);
  const changed = due.reduce((current, { name }) => changeFollowUp(current, name, change), destination);
  return { ...changed, lease: null, revision: destination.revision + 1 };
}

function changeFollowUp(
  destination: DestinationOf<'published'>,
  name: string,
  change: (followUp: FollowUpState) => Partial<FollowUpState>,
): DestinationOf<'published'> {
  return {
    ...destination,
    revision: destination.revision + 1,
    follow_ups: destination.follow_ups.map(each =>
      each.name === name ? { ...each, ...change(each) } : each,
    ),
  };
}
