import { isSettled } from '../model/destination.ts';
import { destinationsOf, type Post } from '../model/post.ts';
import type { Services } from '../runtime/services.ts';
import { getPost, setWake } from '../store/posts.ts';
import { MAX_QUEUE_DELAY_MS, sendPublishNote, type DispatchNote } from './notes.ts';
import { nextLook, readyAt } from './timing.ts';

/**
 * Looks at a post: every destination that is not settled and whose time is near gets a note, with the exact remaining
 * delay. Called by the schedule of a waiting post, and by the sweeper for whatever should have moved and did not.
 */
export async function dispatch(services: Services, note: DispatchNote): Promise<void> {
  const post = await getPost(services.table, note.workspace_id, note.post_id);
  if (post) await sendDueNotes(services, post);
}

export async function sendDueNotes(services: Services, post: Post): Promise<void> {
  const now = services.now();
  for (const destination of destinationsOf(post).filter(each => !isSettled(each))) {
    const at = readyAt(post, destination);
    if (at - now <= MAX_QUEUE_DELAY_MS) await sendPublishNote(services, post, destination.platform, at);
  }
  // A look that is still ahead stands; one that has come is answered by the notes above, and the next one set.
  if (post.wake_at !== undefined && post.wake_at > now) return;
  await setWake(services.table, post, nextLook(post, now));
}
