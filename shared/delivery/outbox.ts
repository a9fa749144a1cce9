import { ENV } from '../aws/env.ts';
import { completedEvent } from '../events/completed.ts';
import { eventOf } from '../events/event.ts';
import { sendEvents } from '../events/publish.ts';
import type { Destination } from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import type { Services } from '../runtime/services.ts';
import { saveSwept } from './sweep.ts';
import { withOutboxSent } from './transitions.ts';

/**
 * Sends the events in a destination's outbox to the events queue, then empties the outbox. A repetition after a crash
 * sends events with the same ids. Returns the post after the write, or null when another worker changed the destination.
 */
export async function sendOutbox(
  services: Services,
  post: Post,
  destination: Destination,
): Promise<Post | null> {
  const publicUrl = services.setting(ENV.publicUrl);
  const events = destination.outbox.map(kind => eventOf(post, destination, kind, { publicUrl }));
  // The destination that is final last sees all of them final.
  const completed = completedEvent(post);
  const all = completed ? [...events, completed] : events;
  await sendEvents(services, all, post.workspace_id, post.request_id);
  return saveSwept(services, post, destination, withOutboxSent(destination));
}
