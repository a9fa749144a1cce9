import { freePlace } from '../caps/at-delivery.ts';
import { isFinal, type Destination } from '../model/destination.ts';
import { failure } from '../model/failure.ts';
import type { Post } from '../model/post.ts';
import type { Services } from '../runtime/services.ts';
import { destinationOf, getPost, saveDestination, setWake } from '../store/posts.ts';
import { payAnnouncements } from './announce.ts';
import type { PublishNote } from './notes.ts';
import { nextLook } from './timing.ts';
import { failed } from './transitions.ts';

/**
 * Reads a dead letter: a note that came back too often. Nobody is left to try, so the destination fails and the user
 * is told. A destination that is in good hands, or final, is left as it is.
 */
export async function giveUp(services: Services, note: PublishNote): Promise<void> {
  const post = await getPost(services.table, note.workspace_id, note.post_id);
  const destination = post && destinationOf(post, note.platform);
  if (post?.version !== note.version || !destination) return;
  if (isFinal(destination)) return finish(services, post, destination);
  if (destination.status === 'publishing' && destination.lease_until > services.now()) return;

  const lost = failed(destination, whyGivenUp(destination), services.now());
  const after = await saveDestination(services.table, post, destination, lost);
  if (!after) throw new Error('The destination moved while it was given up');
  await finish(services, after, lost);
}

function whyGivenUp(destination: Destination) {
  const marked = 'mark' in destination && destination.mark !== null;
  return marked
    ? failure('DELIVERY_UNKNOWN', 'The answer to the publishing request was lost; it may be live')
    : failure('INTERNAL', 'The service failed on every attempt');
}

async function finish(services: Services, post: Post, destination: Destination): Promise<void> {
  const paid = destination.announce.length > 0 ? await payAnnouncements(services, post, destination) : post;
  await freePlace(services, post, destination);
  if (paid && nextLook(paid, services.now()) === null) await setWake(services.table, paid, null);
}
