import { releaseReservation } from '../caps/at-delivery.ts';
import { isFinal, type Destination } from '../model/destination.ts';
import { failure } from '../model/failure.ts';
import type { Post } from '../model/post.ts';
import type { Services } from '../runtime/services.ts';
import { destinationOf, getPost, saveDestination, setWake } from '../store/posts.ts';
import { flushOutbox } from './outbox.ts';
import type { PublishMessage } from './messages.ts';
import { backoffMs, isExhausted } from './retry.ts';
import { nextSweepAt, readyAt } from './timing.ts';
import { failed, retrying } from './transitions.ts';

/** A note is a dead letter when so many deliveries of it failed. */
const FAULTS = 5;

/**
 * Reads a dead letter: a note that came back too often. A destination that is in good hands (a worker's, or waiting for
 * a time ahead) or final is left as it is. For all others each failed delivery counts as a fault: within their budget
 * the sweeper brings them back, so that an outage of AWS costs no post; beyond it they fail, and the user is told.
 */
export async function handleDeadLetter(services: Services, message: PublishMessage): Promise<void> {
  const post = await getPost(services.table, message.workspace_id, message.post_id);
  const destination = post && destinationOf(post, message.platform);
  if (post?.version !== message.version || !destination) return;
  if (isFinal(destination)) return finish(services, post, destination);
  const now = services.now();
  if (readyAt(post, destination) > now) return;

  const next = afterDeadLetter(destination, now);
  const look = nextSweepAt({ ...post, destinations: { ...post.destinations, [next.platform]: next } }, now);
  const after = await saveDestination(services.table, post, destination, next, look ?? undefined);
  if (!after) throw new Error('The destination moved while it was given up');
  await finish(services, after, next);
}

function afterDeadLetter(destination: Destination, now: number): Destination {
  const failures = destination.failures + FAULTS;
  const at = now + backoffMs(failures, undefined);
  if (isExhausted(destination, failures, at)) return failed(destination, whyGivenUp(destination), now);
  const why = failure('INTERNAL', 'The service failed on every attempt so far');
  return retrying(destination, {}, why, at, now, FAULTS);
}

function whyGivenUp(destination: Destination) {
  const marked = 'intent' in destination && destination.intent !== null;
  return marked
    ? failure('DELIVERY_UNKNOWN', 'The answer to the publishing request was lost; it may be live')
    : failure('INTERNAL', 'The service failed on every attempt');
}

async function finish(services: Services, post: Post, destination: Destination): Promise<void> {
  const paid = destination.outbox.length > 0 ? await flushOutbox(services, post, destination) : post;
  await releaseReservation(services, post, destination);
  if (paid && nextSweepAt(paid, services.now()) === null) await setWake(services.table, paid, null);
}
