import type { Post } from '../../model/post.ts';
import { openSlots } from '../../queue/calendar.ts';
import type { Services } from '../../runtime/services.ts';
import { getQueue, type Queue } from '../../store/queue.ts';
import { movedTo } from '../store/new-post.ts';
import { queueBusy } from './queue-busy.ts';
import { awaitQueueLock, backOff, leaveQueueLock } from './queue-lock.ts';
import { storeUnderCaps, type Placement } from './under-caps.ts';

/** Slots tried at most because an account is over its cap at their time. */
const MAX_CAPPED_SLOTS = 50;
/** Attempts to reserve a slot while holding the queue's lock; more than one is needed only against posts without it. */
const LOCKED_ATTEMPTS = 10;

/**
 * Stores a post in the next free slot. A slot is reserved by the write that stores its post, so of several posts that
 * try the same slot one succeeds; the others continue one at a time, since they would only meet again at the next slot.
 */
export async function placeInQueue(services: Services, placement: Placement): Promise<Post> {
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
