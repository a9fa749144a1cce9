import { isSettled, pendingFollowUps, type Destination } from '../model/destination.ts';
import { destinationsOf, type Post } from '../model/post.ts';
import { BASICS } from '../platforms/registry/basics.ts';
import type { Services } from '../runtime/services.ts';
import { saveDestination, setWake } from '../store/posts.ts';
import { GRACE_MS, LEAD_MS, leadMs } from './timing.ts';

/**
 * Returns when a worker may act on a destination next. Epoch milliseconds.
 *
 * A commit whose worker died is reconciled only after the lost request can no longer be in flight and the platform's
 * reads have caught up.
 */
export function readyAt(post: Post, destination: Destination): number {
  switch (destination.status) {
    case 'pending':
      return post.post_type === 'text' ? post.due_at : post.due_at - leadMs(post, destination.platform);
    case 'publishing':
      return destination.lease_until + (destination.intent ? settleMs(destination) : 0);
    case 'processing':
    case 'retrying':
      return destination.next_attempt_at;
    case 'published':
      return followUpReadyAt(destination);
    case 'failed':
    case 'cancelled':
      return destination.changed_at;
  }
}

function followUpReadyAt(destination: Destination & { status: 'published' }): number {
  const { lease, follow_ups, changed_at } = destination;
  if (lease) {
    const leased = follow_ups.find(({ name }) => name === lease.follow_up);
    return lease.until + (leased?.intent ? settleMs(destination) : 0);
  }
  const times = pendingFollowUps(destination).map(({ next_attempt_at }) => next_attempt_at);
  return times.length === 0 ? changed_at : Math.min(...times);
}

const settleMs = ({ platform }: Destination) => BASICS[platform].settle_ms;

/** Returns when the sweeper checks a post next; null when every destination is settled. Epoch milliseconds. */
export function nextSweepAt(post: Post, now: number): number | null {
  const times = unsettled(post).map(destination => Math.max(now, readyAt(post, destination)) + GRACE_MS);
  return times.length === 0 ? null : Math.min(...times);
}

/** Returns when the sweeper checks a new post: just after it should have been dispatched, or published. */
export function firstSweepAt(post: Post, now: number): number {
  const leads = unsettled(post).map(({ platform }) => leadMs(post, platform));
  const longLead = Math.max(LEAD_MS, ...leads) - LEAD_MS;
  return Math.max(post.due_at - longLead, now) + GRACE_MS;
}

/** Returns the destinations that a worker should have acted on by now. */
export function overdue(post: Post, now: number): Destination[] {
  return unsettled(post).filter(destination => readyAt(post, destination) + GRACE_MS <= now);
}

export const unsettled = (post: Post) => destinationsOf(post).filter(destination => !isSettled(destination));

/**
 * Stores the next state of a destination, and an earlier sweep of the post where the new state needs one. A state that
 * settles the whole post removes it from the wake index too. Returns the post after the write, or null when the destination
 * changed since `from` was read.
 */
export async function saveSwept(
  services: Services,
  post: Post,
  from: Destination,
  to: Destination,
): Promise<Post | null> {
  const after = { ...post, destinations: { ...post.destinations, [to.platform]: to } };
  const sweepAt = nextSweepAt(after, services.now());
  // The reservation of a failed destination is released first: the sweeper repeats what a dead worker left undone.
  if (sweepAt === null && to.status === 'published' && post.wake_at !== undefined) {
    const settled = await saveDestination(services.table, post, from, to, null);
    if (settled) return settled;
  }
  const isEarlier = sweepAt !== null && sweepAt < (post.wake_at ?? Infinity);
  return saveDestination(services.table, post, from, to, isEarlier ? sweepAt : undefined);
}

/** Removes a post from the wake index once every destination is settled. */
export async function endSweeps(services: Services, post: Post): Promise<void> {
  if (post.wake_at === undefined || nextSweepAt(post, services.now()) !== null) return;
  await setWake(services.table, post, null);
}
