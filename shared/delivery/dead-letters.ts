import { isFinal, pendingFollowUps, type Destination, type FollowUpState } from '../model/destination.ts';
import { failure } from '../model/failure.ts';
import type { Post } from '../model/post.ts';
import type { Services } from '../runtime/services.ts';
import { destinationOf, getPost } from '../store/posts.ts';
import type { PublishMessage } from './messages.ts';
import type { Report } from './run.ts';
import { sendOutbox } from './outbox.ts';
import { delayAfter, isExhausted } from './retry.ts';
import { settle } from './settle.ts';
import { readyAt, saveSwept } from './sweep.ts';
import { dueFollowUpsChanged } from './follow-up-transitions.ts';
import { givenUp, retrying } from './transitions.ts';

/** Failed deliveries of a message before it becomes a dead letter: `maxReceiveCount` of the publish queues. */
const FAILURES = 5;

const FAILED = failure('INTERNAL', 'The service failed on every attempt');

/**
 * Handles a dead letter: a publish message whose delivery failed repeatedly. A destination that a worker holds, or that
 * waits for a later time, stays as it is. Any other counts each failed delivery as a failure: within its retry budget
 * the sweeper resumes it, so that an outage of AWS costs no post; beyond it, it fails and the user is notified.
 */
export async function handleDeadLetter(
  services: Services,
  message: PublishMessage,
  report?: Report,
): Promise<void> {
  const post = await getPost(services.table, message.workspace_id, message.post_id);
  const destination = post && destinationOf(post, message.platform);
  if (post?.version !== message.version || !destination || message.warm_up) return;
  if (isFinal(destination) && pendingFollowUps(destination).length === 0) {
    await finish(services, post, destination);
    return;
  }
  const now = services.now();
  if (readyAt(post, destination) > now) return;

  const next = afterFailures(destination, now);
  const after = await saveSwept(services, post, destination, next);
  if (!after) throw new Error('The destination changed while its dead letter was handled');
  if (next.status === 'failed') report?.(after, next);
  await finish(services, after, next);
}

function afterFailures(destination: Destination, now: number): Destination {
  if (destination.status === 'published') {
    return dueFollowUpsChanged(destination, followUp => followUpAfterFailures(followUp, now), now);
  }
  const failures = destination.failures + FAILURES;
  const at = now + delayAfter(failures);
  if (isExhausted(destination, failures, at)) return givenUp(destination, FAILED, now);
  const why = failure('INTERNAL', 'The service failed on every attempt so far');
  return retrying(destination, {}, why, at, now, failures);
}

function followUpAfterFailures(followUp: FollowUpState, now: number): Partial<FollowUpState> {
  const failures = followUp.failures + FAILURES;
  const at = now + delayAfter(failures);
  if (!isExhausted(followUp, failures, at)) return { failures, next_attempt_at: at };
  const error = followUp.intent ? failure('DELIVERY_UNKNOWN', FAILED.message) : FAILED;
  return { status: 'failed', intent: null, error };
}

/** Sends the events of a destination and ends the sweeps of a settled post. Returns the post; null when it changed meanwhile. */
export async function finish(services: Services, post: Post, destination: Destination): Promise<Post | null> {
  const sent = destination.outbox.length > 0 ? await sendOutbox(services, post, destination) : post;
  if (sent) await settle(services, sent, destination);
  return sent;
}
