import { isSettled, type Destination } from '../model/destination.ts';
import { destinationsOf, type Post } from '../model/post.ts';
import { RULES } from '../platforms/registry.ts';
import { MINUTE, SECOND } from '../time/instant.ts';

/** A schedule is set this long before a post is due: Scheduler fires within a minute of its time. */
export const DISPATCH_AHEAD_MS = 90 * SECOND;

/** A post without an alarm is looked at so long before it is due: a sweep a minute then comes in time to prepare it. */
export const SWEEP_AHEAD_MS = DISPATCH_AHEAD_MS + 1 * MINUTE;

/** A note may come this early, since a queue delay is whole seconds; the commit then waits for the exact time. */
export const EARLY_MS = 1 * SECOND;

/** How long after the expected time the sweeper gives a note up for lost. */
const GRACE_MS = 1 * MINUTE;

/** Margin between a function's time-out and the moment when its lease may be taken over. */
const LEASE_MARGIN_MS = 15 * SECOND;

/** A lease outlives the function that holds it, so that an expired lease means a dead holder. */
export function leaseUntil(destination: Destination, now: number): number {
  return now + RULES[destination.platform].worker.timeout_s * SECOND + LEASE_MARGIN_MS;
}

/**
 * When a destination may be worked on next. Epoch milliseconds.
 *
 * A commit whose outcome died with its worker is asked about only after the lost request can no longer be in flight
 * and the platform's reads have caught up.
 */
export function readyAt(post: Post, destination: Destination): number {
  switch (destination.status) {
    case 'pending':
      return post.post_type === 'text' ? post.due_at : post.due_at - DISPATCH_AHEAD_MS;
    case 'publishing':
      return destination.lease_until + (destination.intent ? RULES[destination.platform].settle_ms : 0);
    case 'processing':
    case 'retrying':
      return destination.next_attempt_at;
    case 'published':
    case 'failed':
      return destination.changed_at;
  }
}

/** When the sweeper must look at a post next; null when everything in it is settled. */
export function nextSweepAt(post: Post, now: number): number | null {
  const looks = unsettled(post).map(destination => Math.max(now, readyAt(post, destination)) + GRACE_MS);
  return looks.length === 0 ? null : Math.min(...looks);
}

/** Destinations that should have been worked on a while ago. */
export function overdue(post: Post, now: number): Destination[] {
  return unsettled(post).filter(destination => readyAt(post, destination) + GRACE_MS <= now);
}

const unsettled = (post: Post) => destinationsOf(post).filter(destination => !isSettled(destination));

/** The first look at a new post: just after it should have been published. */
export function firstSweepAt(dueAt: number, now: number): number {
  return Math.max(dueAt, now) + GRACE_MS;
}
