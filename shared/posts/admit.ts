import type { Post } from '../model/post.ts';
import type { Services } from '../runtime/services.ts';
import { enqueue, queueBusy } from './enqueue.ts';
import { storeUnderCaps, type Application } from './under-caps.ts';

/**
 * Stores a post that has no fault, or says why not now: a limit that a platform announced (429), a daily cap (429). What
 * is stored holds its places under the caps; a post for the queue that has no place there gets one.
 */
export async function admit(services: Services, application: Application): Promise<Post> {
  const { scheduling, slot_number } = application.post;
  if (scheduling === 'queue' && slot_number === undefined) return enqueue(services, application);
  const { stored, hurdle } = await storeUnderCaps(services, application);
  if (hurdle) throw hurdle.answer;
  if (!stored) throw queueBusy();
  return stored;
}
