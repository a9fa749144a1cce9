import { ENV } from '../aws/env.ts';
import type { Destination } from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import { eventOf } from '../events/event.ts';
import { announce } from '../events/publish.ts';
import type { Services } from '../runtime/services.ts';
import { saveDestination } from '../store/posts.ts';
import { announced } from './transitions.ts';

/**
 * Puts the events that a destination owes on the events queue, then notes that it owes them no more. A repetition
 * after a crash in between sends the same ids again. Null when the destination moved meanwhile.
 */
export async function payAnnouncements(
  services: Services,
  post: Post,
  destination: Destination,
): Promise<Post | null> {
  for (const kind of destination.announce) {
    const event = eventOf(post, destination, kind, { publicUrl: services.setting(ENV.publicUrl) });
    await announce(services, event, post.workspace_id);
  }
  return saveDestination(services.table, post, destination, announced(destination));
}
