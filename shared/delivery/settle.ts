import { releaseReservation } from '../caps/at-delivery.ts';
import { isListening } from '../events/listening.ts';
import { scheduleFirstReadings } from '../insights/readings.ts';
import type { Destination, DestinationOf } from '../model/destination.ts';
import type { Post } from '../model/post.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { endSweeps } from './sweep.ts';

/**
 * Empties the outbox of a state that is about to be stored where no webhook is there to hear of it: a message, a function run
 * and a write less.
 */
export async function withListenedOutbox(
  services: Services,
  post: Post,
  next: Destination,
): Promise<Destination> {
  if (next.outbox.length === 0 || (await isListening(services, post.workspace_id))) return next;
  return { ...next, outbox: [] };
}

/**
 * Ends the work on a final destination whose events are sent: schedules the first metrics readings, releases its cap reservation
 * if it failed, and ends the sweeps of a settled post. Safe to repeat.
 */
export async function settle(services: Services, post: Post, destination: Destination): Promise<void> {
  if (destination.status === 'published') await scheduleReadings(services, post, destination);
  await releaseReservation(services, post, destination);
  await endSweeps(services, post);
}

/** Logs a failure: a missing metrics reading must not keep the post from being settled. */
async function scheduleReadings(
  { table }: Services,
  post: Post,
  destination: DestinationOf<'published'>,
): Promise<void> {
  try {
    await scheduleFirstReadings(table, post, destination);
  } catch (error) {
    log.warn('Could not schedule the first metrics readings', {
      post_id: post.post_id,
      ...describeError(error),
    });
  }
}
