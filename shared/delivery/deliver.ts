import { releaseReservations, reserveAtDelivery } from '../caps/at-delivery.ts';
import {
  isFinal,
  pendingFollowUps,
  type Destination,
  type DestinationStatus,
  type StoredCheckpoint,
} from '../model/destination.ts';
import { failure } from '../model/failure.ts';
import type { Post } from '../model/post.ts';
import type { Connection } from '../model/profile.ts';
import { BASICS } from '../platforms/registry/basics.ts';
import { log } from '../runtime/log.ts';
import { markNeedsReconnect, setAnnouncedLimit } from '../store/connections.ts';
import { destinationOf, getPost } from '../store/posts.ts';
import { MINUTE } from '../time/instant.ts';
import { runAttempt } from './attempt.ts';
import { checkpointStore, type CheckpointStore } from './checkpoints.ts';
import { openDeliveryContext, type DeliveryContext } from './context.ts';
import { discardAbandoned } from './discard.ts';
import { resume } from './dispatch.ts';
import { runNextFollowUp } from './follow-ups.ts';
import { LeaseLost, openLease, type Lease } from './lease.ts';
import type { PublishMessage } from './messages.ts';
import { publisherMissing } from './no-publisher.ts';
import { ACCOUNT_GONE, failed as failedAttempt, isWaitForQuota, type AttemptOutcome } from './outcome.ts';
import { sendOutbox } from './outbox.ts';
import type { DeliveryRun } from './run.ts';
import { settle, withListenedOutbox } from './settle.ts';
import { readyAt, saveSwept } from './sweep.ts';
import { EARLY_MS, MAX_HOPS, stepReserveMs } from './timing.ts';
import { warmUp } from './warm-up.ts';
import { deferred, failed, givenUp, leased, published, retrying, waiting } from './transitions.ts';

/** A platform limit that lasts at least this long is stored with the account, so that new posts are refused. */
const LASTING_LIMIT_MS = 30 * MINUTE;

const LOOP_MESSAGE = `The delivery did not finish within ${MAX_HOPS} queue messages`;

/** The run of one message. */
interface MessageRun extends DeliveryRun {
  hops: number;
}

/**
 * Handles one publish message. When it returns, the message can be deleted: the result is stored and its events are on
 * their queue, or another message, a schedule or the wake index stands for what is left. Throws when the message must
 * return to the queue.
 *
 * It may run any number of times for the same message, at any time, and be killed at any line.
 */
export async function deliver(run: DeliveryRun, message: PublishMessage): Promise<void> {
  const post = await getPost(run.services.table, message.workspace_id, message.post_id);
  const destination = post && destinationOf(post, message.platform);
  // The post was deleted or edited; an edit sends its own messages.
  if (post?.version !== message.version || !destination) return;
  if (message.warm_up) return warmUp(run, post, destination);
  if (isSuperseded(run, post, destination, message)) return;
  await advance({ ...run, hops: message.hops }, post, destination);
}

/**
 * True for a message that is early for a state which it does not belong to: the writer of that state has sent its own.
 * Otherwise each repetition of a message, and each message of the sweeper, would begin a chain of its own.
 */
function isSuperseded(
  { services }: DeliveryRun,
  post: Post,
  destination: Destination,
  { revision = destination.revision }: PublishMessage,
): boolean {
  const isEarly = readyAt(post, destination) - services.now() > EARLY_MS;
  return revision !== destination.revision && isEarly && destination.outbox.length === 0;
}

/** Does what a destination's state requires next. After `attempted`, the same message begins no further attempt. */
async function advance(
  run: MessageRun,
  post: Post,
  destination: Destination,
  attempted = false,
): Promise<void> {
  if (destination.outbox.length > 0) {
    const sent = await sendOutbox(run.services, post, destination);
    return sent ? advance(run, sent, currentOf(sent, destination), attempted) : undefined;
  }
  if (destination.status === 'failed' && destination.abandoned) {
    const done = await discardAbandoned(run, post, destination);
    return done ? advance(run, done, currentOf(done, destination), attempted) : undefined;
  }
  if (isFinal(destination) && pendingFollowUps(destination).length === 0) {
    return settle(run.services, post, destination);
  }

  const isEarly = readyAt(post, destination) - run.services.now() > EARLY_MS;
  if (isEarly) return continueLater(run, post, destination);
  if (destination.status !== 'published') {
    return attempted ? continueLater(run, post, destination) : attempt(run, post, destination);
  }
  const isOutOfTime = attempted && run.remainingMs() < stepReserveMs(destination.platform);
  if (isOutOfTime) return continueLater(run, post, destination);
  const after = await runNextFollowUp(run, post, destination);
  return after ? advance(run, after.post, after.destination, true) : undefined;
}

/** Sends the next message of the delivery. A chain without an end fails the destination. */
async function continueLater(run: MessageRun, post: Post, destination: Destination): Promise<void> {
  if (run.hops < MAX_HOPS) return resume(run.services, post, destination, run.hops + 1);
  const { post_id } = post;
  log.error('Delivery loop stopped', { post_id, platform: destination.platform, hops: run.hops });
  const next = givenUp(destination, failure('INTERNAL', LOOP_MESSAGE), run.services.now());
  const after = await saveSwept(run.services, post, destination, next);
  if (!after) return;
  if (next.status === 'failed') run.report?.(after, next);
  await advance({ ...run, hops: 0 }, after, next, true);
}

/**
 * Runs an attempt under a lease and stores the outcome. The first lease of a destination is stored with what the worker writes
 * first, and that is before anything that two workers must not do: where a post is sent at once, with its intent.
 */
async function attempt(run: MessageRun, post: Post, from: Destination): Promise<void> {
  const held = leased(from, run.services.now());
  const publisher = run.publishers[held.platform];
  const sealed = publisher?.sealed ?? false;
  const checkpoints = checkpointStore(run.services, post, held.platform, { sealed });
  const lease = openLease(post, from, held, async (before, previous, next) => {
    const after = await saveSwept(run.services, before, previous, next);
    if (after) await checkpoints.prune(referenced(next));
    return after;
  });
  try {
    if (from.status !== 'pending') await lease.acquire();
    const outcome = await outcomeOf(run, lease, checkpoints, from.status);
    const ended = await afterOutcome(run, lease, checkpoints, outcome);
    const next = await withListenedOutbox(run.services, lease.post, ended);
    const after = await saveSwept(run.services, lease.post, lease.stored, next);
    if (!after) return;
    run.report?.(after, next);
    await checkpoints.prune(referenced(next));
    await advance(run, after, next, true);
  } catch (error) {
    // Another worker acquired the lease and does the rest.
    if (!(error instanceof LeaseLost)) throw error;
  }
}

async function outcomeOf(
  run: DeliveryRun,
  lease: Lease,
  checkpoints: CheckpointStore,
  from: DestinationStatus,
): Promise<AttemptOutcome> {
  const { platform, intent } = lease.destination;
  const begins = from !== 'processing' && intent === null;
  if (!run.publishers[platform]) return failedAttempt(publisherMissing(platform), null, false);
  const context = await openDeliveryContext(run, lease.post, lease.destination);
  if (!context) {
    return failedAttempt(failure(intent ? 'DELIVERY_UNKNOWN' : 'TOKEN_EXPIRED', ACCOUNT_GONE), null, true);
  }
  try {
    await assign(run, lease, context);
    const capped = begins ? await capOutcome(run, lease) : null;
    if (capped) return capped;
    const outcome = await runAttempt({
      ...context,
      post: lease.post,
      lease,
      checkpoints,
      sleep: run.sleep ?? pause,
      now: run.services.now,
      remainingMs: run.remainingMs,
      takesOver: from === 'publishing',
    });
    await updateConnection(run, context, outcome);
    return outcome;
  } finally {
    context.close();
  }
}

/** Notes where the destination goes. One that has not begun goes to the account that the profile has now. */
async function assign({ services }: DeliveryRun, lease: Lease, { owner }: DeliveryContext): Promise<void> {
  const before = lease.destination;
  lease.amend(owner);
  if (before.social_account_id === owner.social_account_id) return;
  await releaseReservations(services, lease.post, [before]);
}

/** Returns the outcome of a destination that is over its account's daily cap; null when it may publish. */
async function capOutcome(run: DeliveryRun, lease: Lease): Promise<AttemptOutcome | null> {
  const at = await reserveAtDelivery(run.services, lease.post, lease.destination);
  if (at === null) return null;
  const why = failure('DAILY_CAP', 'The account has reached its maximum number of posts in 24 hours');
  return { type: 'capped', failure: why, at };
}

/** Stores with the connection what the attempt found out about the account. */
async function updateConnection(
  run: DeliveryRun,
  context: DeliveryContext,
  outcome: AttemptOutcome,
): Promise<void> {
  if (outcome.type === 'failed' && outcome.accountLost) {
    const outbox = { at: run.services.now(), message: outcome.failure.message };
    await markNeedsReconnect(run.services.table, context.connection(), outbox);
  }
  if (outcome.type === 'retry') await storeAnnouncedLimit(run, context.connection(), outcome);
}

async function storeAnnouncedLimit(
  run: DeliveryRun,
  connection: Connection,
  { failure: { code }, at, limit, acceptsPosts }: Extract<AttemptOutcome, { type: 'retry' }>,
): Promise<void> {
  if (code !== 'PLATFORM_RATE_LIMIT' || acceptsPosts) return;
  if (at - run.services.now() < LASTING_LIMIT_MS) return;
  const announced = { limit: limit ?? BASICS[connection.platform].daily_cap, resets_at: at };
  await setAnnouncedLimit(run.services.table, connection, announced);
}

/** Returns the destination after an attempt's outcome. */
async function afterOutcome(
  run: DeliveryRun,
  { destination }: Lease,
  checkpoints: CheckpointStore,
  outcome: AttemptOutcome,
): Promise<Destination> {
  const now = run.services.now();
  switch (outcome.type) {
    case 'published':
      return published(destination, outcome.post, outcome.followUps, now);
    case 'failed': {
      const discards = run.publishers[destination.platform]?.discard != null;
      // What a post uses that may be live is kept.
      const isOver = outcome.failure.code !== 'DELIVERY_UNKNOWN';
      const abandoned =
        discards && isOver && outcome.checkpoint ? await checkpoints.put(outcome.checkpoint) : null;
      return failed(destination, outcome.failure, now, outcome.accountLost, abandoned);
    }
    case 'retry': {
      const checkpoint = await checkpoints.put(outcome.checkpoint);
      const lost = outcome.lostCommit === true && { lost_commit: true };
      const progress = { checkpoint, intent: null, ...lost };
      const { failure: why, failures, at } = outcome;
      return isWaitForQuota(why)
        ? deferred(destination, progress, why, at, now)
        : retrying(destination, progress, why, at, now, failures);
    }
    case 'capped':
      return deferred(destination, {}, outcome.failure, outcome.at, now);
    case 'wait': {
      const { at, intent, failures = destination.failures, waits = 0 } = outcome;
      const checkpoint = await checkpoints.put(outcome.checkpoint);
      return waiting(destination, { checkpoint, intent, failures, waits }, at, now);
    }
  }
}

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms));

/** Returns the checkpoint that a destination refers to. */
const referenced = (destination: Destination): StoredCheckpoint | null => {
  if (destination.status === 'failed') return destination.abandoned;
  return 'checkpoint' in destination ? destination.checkpoint : null;
};

function currentOf(post: Post, { platform }: Destination): Destination {
  const destination = destinationOf(post, platform);
  if (!destination) throw new Error(`The post has no destination ${platform} any more`);
  return destination;
}
