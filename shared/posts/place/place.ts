import { ApiError } from '../../http/errors.ts';
import type { Post } from '../../model/post.ts';
import type { Connection } from '../../model/profile.ts';
import { openSlots } from '../../queue/calendar.ts';
import type { Services } from '../../runtime/services.ts';
import { getQueue, type Queue } from '../../store/queue.ts';
import { movedTo } from '../store/new-post.ts';
import { writePost } from '../store/write.ts';
import { releaseUnused, reserveCaps } from './caps.ts';
import { awaitQueueLock, backOff, leaveQueueLock } from './queue-lock.ts';

/** A post to store, with what its placement depends on. */
export interface Placement {
  post: Post;
  /** The version that it replaces; null for a new post. */
  previous: Post | null;
  connections: readonly Connection[];
}

/** Slots tried at most because an account is over its cap at their time. */
const MAX_CAPPED_SLOTS = 50;
/** Attempts to reserve a slot while holding the queue's lock; more than one is needed only against posts without it. */
const LOCKED_ATTEMPTS = 10;

/** Reserves the caps of a post, and its slot where it is queued, and stores it. Throws 429 for a cap, 503 for a busy queue. */
export async function placeAndStore(services: Services, placement: Placement): Promise<Post> {
  const { scheduling, slot_number } = placement.post;
  if (scheduling === 'queue' && slot_number === undefined) return placeInQueue(services, placement);
  const result = await storeUnderCaps(services, placement);
  if (result.type === 'over') throw result.error;
  if (result.type === 'slot_taken') throw queueBusy();
  return result.post;
}

type StoreResult =
  | { type: 'stored'; post: Post }
  | { type: 'slot_taken' }
  | { type: 'over'; error: ApiError; frees_at: number };

/** Reserves caps, then stores. Reservations that the stored post does not use are released. */
async function storeUnderCaps(
  services: Services,
  { post, previous, connections }: Placement,
): Promise<StoreResult> {
  const caps = await reserveCaps(services, post, previous, connections);
  if (caps.type === 'over') return caps;
  let stored: Post | null = null;
  try {
    stored = await writePost(services, previous, post);
  } finally {
    await releaseUnused(services, caps.reservations, stored);
  }
  return stored ? { type: 'stored', post: stored } : { type: 'slot_taken' };
}

/**
 * Stores a post in the next free slot. A slot is reserved by the write that stores its post, so of several posts that
 * try the same slot one succeeds; the others continue one at a time, since they would only meet again at the next slot.
 */
async function placeInQueue(services: Services, placement: Placement): Promise<Post> {
  return (await storeInNextSlot(services, placement)) ?? (await placeWithLock(services, placement));
}

async function placeWithLock(services: Services, placement: Placement): Promise<Post> {
  await awaitQueueLock(services, placement.post);
  try {
    for (let attempt = 1; attempt <= LOCKED_ATTEMPTS; attempt += 1) {
      const stored = await storeInNextSlot(services, placement);
      if (stored) return stored;
      await backOff(attempt);
    }
  } finally {
    await leaveQueueLock(services, placement.post);
  }
  throw queueBusy();
}

/** Returns null where another post took the slot. Skips slots at which an account is over its cap; throws 429 after many. */
async function storeInNextSlot(services: Services, placement: Placement): Promise<Post | null> {
  const { workspace_id, profile_id } = placement.post;
  const queue = await getQueue(services.table, workspace_id, profile_id);
  let from = services.now();
  for (let skipped = 1; ; skipped += 1) {
    const post = inNextSlot(queue, placement.post, from, services.now());
    const result = await storeUnderCaps(services, { ...placement, post });
    if (result.type === 'stored') return result.post;
    if (result.type === 'slot_taken') return null;
    if (skipped === MAX_CAPPED_SLOTS) throw result.error;
    from = Math.max(services.now(), result.frees_at - 1);
  }
}

/** Returns the post in the first free position of a queue after a time. */
function inNextSlot(queue: Queue, post: Post, after: number, now: number): Post {
  const { at, position } = openSlots(queue, after).next().value;
  return { ...movedTo(post, at, now), slot_number: position };
}

const queueBusy = () =>
  new ApiError({
    status: 503,
    headers: { 'retry-after': '5' },
    body: { error: 'The queue of this profile is busy. Try again', code: 'QUEUE_BUSY' },
  });
