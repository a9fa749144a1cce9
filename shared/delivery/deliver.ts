import { releaseReservation, reserveAtDelivery } from '../caps/at-delivery.ts';
import {
  isFinal,
  isFirstCommentPending,
  type Destination,
  type DestinationOf,
  type DestinationStatus,
} from '../model/destination.ts';
import { failure } from '../model/failure.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import type { Connection } from '../model/profile.ts';
import type { Publisher } from '../platforms/contract/publisher.ts';
import { RULES } from '../platforms/registry.ts';
import type { Services } from '../runtime/services.ts';
import { markNeedsReconnect, setAnnouncedLimit } from '../store/connections.ts';
import { destinationOf, getPost, saveDestination, setWake } from '../store/posts.ts';
import { flushOutbox } from './outbox.ts';
import { LeaseLost, runAttempt, type AttemptOutcome } from './attempt.ts';
import { publishFirstComment } from './first-comment.ts';
import { scheduleWait } from './dispatch.ts';
import { publisherMissing } from './no-publisher.ts';
import { MAX_QUEUE_DELAY_MS, sendPublishMessage, type PublishMessage } from './messages.ts';
import { EARLY_MS, nextSweepAt, readyAt } from './timing.ts';
import { leased, failed, deferred, published, retrying, waiting } from './transitions.ts';
import { MINUTE } from '../time/instant.ts';
import { openDeliveryContext } from './context.ts';

/** A platform's limit that ends sooner is waited for by the posts that met it, and is no news for others. */
const LASTING_LIMIT_MS = 30 * MINUTE;

/** What the delivery of one note works with. */
export interface DeliveryRun {
  services: Services;
  publishers: Readonly<Partial<Record<PlatformId, Publisher>>>;
  /** What is left of this invocation. Milliseconds. */
  remainingMs: () => number;
}

/**
 * Acts on one to-do note. When it returns, the note may go: the platform has the content, the result is stored and
 * its events are on their queue, or another note or the sweeper's index stands for what is left. Throws when the note
 * must come back.
 *
 * It may run any number of times for the same note, at any time, and be killed at any line.
 */
export async function deliver(run: DeliveryRun, message: PublishMessage): Promise<void> {
  const post = await getPost(run.services.table, message.workspace_id, message.post_id);
  const destination = post && destinationOf(post, message.platform);
  // Deleted, or edited since: an edit sends notes of its own.
  if (post?.version !== message.version || !destination) return;
  await moveOn(run, post, destination);
}

/** Does whatever a destination's present state asks for; `after` an attempt no second one begins on the same note. */
async function moveOn(
  run: DeliveryRun,
  post: Post,
  destination: Destination,
  after: 'note' | 'attempt' = 'note',
): Promise<void> {
  if (destination.outbox.length > 0) {
    const paid = await flushOutbox(run.services, post, destination);
    return paid ? moveOn(run, paid, present(paid, destination), after) : undefined;
  }
  if (isFirstCommentPending(destination)) {
    const made = await publishFirstComment(run, post, destination);
    return made ? moveOn(run, made, present(made, destination), after) : undefined;
  }
  if (isFinal(destination)) {
    await releaseReservation(run.services, post, destination);
    return settle(run, post);
  }

  const at = readyAt(post, destination);
  const early = at - run.services.now() > EARLY_MS;
  if (early || after === 'attempt') return comeBack(run, post, destination, at);

  const holding = leased(destination, run.services.now());
  const held = await save(run, post, destination, holding);
  // Somebody else won the claim and answers for the rest.
  if (held) await work(run, held, holding, destination.status);
}

/** Works on a destination that was claimed from the status `from`, and stores how that ended. */
async function work(
  run: DeliveryRun,
  post: Post,
  holding: DestinationOf<'publishing'>,
  from: DestinationStatus,
): Promise<void> {
  const lease = { post, holding };
  const keep = async (to: DestinationOf<'publishing'>) => {
    const after = await save(run, lease.post, lease.holding, to);
    if (!after) throw new LeaseLost();
    lease.post = after;
    lease.holding = to;
  };
  try {
    const begins = from !== 'processing' && holding.intent === null;
    const capped = begins ? await capOutcome(run, post, holding) : null;
    const outcome = capped ?? (await attemptOnce(run, post, holding, from === 'publishing', keep));
    const next = afterOutcome(run, lease.post, lease.holding, outcome);
    const stored = await save(run, lease.post, lease.holding, next);
    if (stored) await moveOn(run, stored, next, 'attempt');
  } catch (error) {
    // Whoever took over answers for the rest.
    if (!(error instanceof LeaseLost)) throw error;
  }
}

/** An account publishes no more than its daily cap: whoever is beyond it waits until the window frees. */
async function capOutcome(
  run: DeliveryRun,
  post: Post,
  holding: DestinationOf<'publishing'>,
): Promise<AttemptOutcome | null> {
  const at = await reserveAtDelivery(run.services, post, holding);
  if (at === null) return null;
  const why = failure('DAILY_CAP', 'The account has published as many posts as it may in 24 hours');
  return { type: 'capped', failure: why, at };
}

async function attemptOnce(
  run: DeliveryRun,
  post: Post,
  holding: DestinationOf<'publishing'>,
  takesOver: boolean,
  keep: (to: DestinationOf<'publishing'>) => Promise<void>,
): Promise<AttemptOutcome> {
  if (!run.publishers[holding.platform]) {
    return { type: 'failed', failure: publisherMissing(holding.platform), accountLost: false };
  }
  const context = await openDeliveryContext(run, post, holding.platform, keep);
  if (!context) {
    const code = holding.intent ? 'DELIVERY_UNKNOWN' : 'TOKEN_EXPIRED';
    const why = failure(code, 'The account is not connected any more');
    return { type: 'failed', failure: why, accountLost: true };
  }
  try {
    const outcome = await runAttempt({ ...context.attempt, takesOver }, holding);
    if (outcome.type === 'failed' && outcome.accountLost) {
      await markNeedsReconnect(run.services.table, context.connection());
    }
    if (outcome.type === 'retry') await noteLimit(run, context.connection(), outcome);
    return outcome;
  } finally {
    context.close();
  }
}

/** A limit that lasts is remembered with the account, so that new posts are refused at once. */
async function noteLimit(
  run: DeliveryRun,
  connection: Connection,
  { failure: { code }, at, limit }: Extract<AttemptOutcome, { type: 'retry' }>,
): Promise<void> {
  if (code !== 'PLATFORM_RATE_LIMIT' || at - run.services.now() < LASTING_LIMIT_MS) return;
  const announced = { limit: limit ?? RULES[connection.platform].daily_cap, resets_at: at };
  await setAnnouncedLimit(run.services.table, connection, announced);
}

/** The destination as an attempt's outcome leaves it. */
function afterOutcome(
  run: DeliveryRun,
  post: Post,
  holding: DestinationOf<'publishing'>,
  outcome: AttemptOutcome,
): Destination {
  const now = run.services.now();
  switch (outcome.type) {
    case 'published':
      return published(holding, outcome.post, post.first_comment !== null && outcome.finishes, now);
    case 'failed':
      return failed(holding, outcome.failure, now, outcome.accountLost);
    case 'retry': {
      const lost = outcome.lostCommit === true && { lost_commit: true };
      const progress = { checkpoint: outcome.checkpoint, intent: null, ...lost };
      return retrying(holding, progress, outcome.failure, outcome.at, now);
    }
    case 'capped':
      return deferred(holding, outcome.failure, outcome.at, now);
    case 'wait': {
      const intent = outcome.keepIntent ? holding.intent : null;
      const { checkpoint, at, failures = holding.failures } = outcome;
      return waiting(holding, { checkpoint, intent, failures }, at, now);
    }
  }
}

/** Leaves a note for later, or an alarm where the wait is too long for the queue. */
async function comeBack(run: DeliveryRun, post: Post, destination: Destination, at: number): Promise<void> {
  if (at - run.services.now() > MAX_QUEUE_DELAY_MS) return scheduleWait(run.services, post, at);
  await sendPublishMessage(run.services, post, destination.platform, at);
}

/** Takes a post out of the sweeper's index once everything in it is settled. */
async function settle(run: DeliveryRun, post: Post): Promise<void> {
  if (post.wake_at !== undefined && nextSweepAt(post, run.services.now()) === null)
    await setWake(run.services.table, post, null);
}

/** Stores a destination, and an earlier look of the sweeper where the new state needs one. */
async function save(run: DeliveryRun, post: Post, from: Destination, to: Destination): Promise<Post | null> {
  const look = nextSweepAt(
    { ...post, destinations: { ...post.destinations, [to.platform]: to } },
    run.services.now(),
  );
  const earlier = look !== null && look < (post.wake_at ?? Infinity) ? look : undefined;
  return saveDestination(run.services.table, post, from, to, earlier);
}

function present(post: Post, { platform }: Destination): Destination {
  const destination = destinationOf(post, platform);
  if (!destination) throw new Error(`The post lost its destination ${platform}`);
  return destination;
}
