import { ENV } from '../aws/env.ts';
import type { Destination, DestinationOf } from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import { eventOf } from '../events/event.ts';
import { sendEvent } from '../events/publish.ts';
import { scheduleFirstReading } from '../insights/readings.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { saveDestination } from '../store/posts.ts';
import { withOutboxSent } from './transitions.ts';

/**
 * Puts the events that a destination owes on the events queue, then notes that it owes them no more. A repetition
 * after a crash in between sends the same ids again. A live post is also noted to be measured later. Null when the
 * destination moved meanwhile.
 */
export async function flushOutbox(
  services: Services,
  post: Post,
  destination: Destination,
): Promise<Post | null> {
  for (const kind of destination.outbox) {
    const event = eventOf(post, destination, kind, { publicUrl: services.setting(ENV.publicUrl) });
    await sendEvent(services, event, post.workspace_id);
  }
  if (destination.status === 'published') await noteLook(services, post, destination);
  return saveDestination(services.table, post, destination, withOutboxSent(destination));
}

/** A post that is not looked at later is no reason to hold up its events. */
async function noteLook(
  { table }: Services,
  post: Post,
  destination: DestinationOf<'published'>,
): Promise<void> {
  try {
    await scheduleFirstReading(table, post, destination);
  } catch (error) {
    log.warn('A post will not be measured', { post_id: post.post_id, ...describeError(error) });
  }
}
