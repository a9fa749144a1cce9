import type { Post } from '../../model/post.ts';
import type { Services } from '../../runtime/services.ts';
import { queueBusy } from './queue-busy.ts';
import { storeUnderCaps, type Placement } from './under-caps.ts';

/** Reserves the caps of a post, and its slot where it is queued, and stores it. Throws 429 for a cap, 503 for a busy queue. */
export async function placeAndStore(services: Services, placement: Placement): Promise<Post> {
  const { scheduling, slot_number } = placement.post;
  if (scheduling === 'queue' && slot_number === undefined) {
    // Only these posts need the library of time zones.
    return (await import('./in-queue.ts')).placeInQueue(services, placement);
  }
  const result = await storeUnderCaps(services, placement);
  if (result.type === 'over') throw result.error;
  if (result.type === 'slot_taken') throw queueBusy();
  return result.post;
}
