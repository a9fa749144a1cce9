import { ApiError } from '../http/errors.ts';
import type { Post } from '../model/post.ts';
import { movedTo } from './create.ts';
import { storeUnderCaps, type Application, type Hurdle } from './under-caps.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { releaseQueueLock, getQueue, acquireQueueLock } from '../store/queue.ts';
import { openSlots } from '../queue/calendar.ts';

/** Times without room for an account that a post goes round before it is refused. */
const MOST_HURDLES = 50;
/** A post that has its turn needs more tries than one only where others go without. */
const TRIES = 10;
/** A request has 29 s: who gets no turn by then goes without. */
const PATIENCE_MS = 16_000;
const LONGEST_WAIT_MS = 400;

function pause(attempt: number): Promise<void> {
  const longest = Math.min(LONGEST_WAIT_MS, 25 * 2 ** attempt);
  return new Promise(resolve => setTimeout(resolve, Math.random() * longest));
}

/**
 * Stores a post in the first slot of its profile's queue that has a place for it and at whose time no account is over
 * its daily cap. The place is taken together with storing, so that of contenders for one all but one fail. These take
 * turns: at the next place they would only meet again.
 */
export async function enqueue(services: Services, application: Application): Promise<Post> {
  return (await storeInNextSlot(services, application)) ?? (await storeInTurn(services, application));
}

async function storeInTurn(services: Services, application: Application): Promise<Post> {
  await awaitTurn(services, application.post);
  try {
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const stored = await storeInNextSlot(services, application);
      if (stored) return stored;
      await pause(attempt);
    }
  } finally {
    await leaveTurn(services, application.post);
  }
  throw queueBusy();
}

/** The post may be stored by now: a turn that stays behind ends by itself, and is not worth the answer. */
async function leaveTurn({ table }: Services, post: Post): Promise<void> {
  try {
    await releaseQueueLock(table, post);
  } catch (error) {
    log.warn('A turn at a queue was left behind', { post_id: post.post_id, ...describeError(error) });
  }
}

async function awaitTurn({ table, now }: Services, post: Post): Promise<void> {
  const until = now() + PATIENCE_MS;
  for (let look = 1; now() < until && !(await acquireQueueLock(table, post, now())); look += 1)
    await pause(look);
}

/** Null when another post got the place. Throws 429 where there is no room for an account far and wide. */
async function storeInNextSlot(services: Services, application: Application): Promise<Post | null> {
  let hurdle: Hurdle | null = null;
  for (let count = 0; count < MOST_HURDLES; count += 1) {
    const post: Post = await inNextSlot(services, application.post, hurdle?.ends_at ?? 0);
    const outcome = await storeUnderCaps(services, { ...application, post });
    if (!outcome.hurdle) return outcome.stored;
    hurdle = outcome.hurdle;
  }
  throw hurdle?.answer ?? queueBusy();
}

/** The post in the first open place of its profile's queue that is not before `from`. */
async function inNextSlot(services: Services, post: Post, from: number): Promise<Post> {
  const { workspace_id, profile_id } = post;
  const now = services.now();
  const queue = await getQueue(services.table, workspace_id, profile_id);
  const { at, place } = openSlots(queue, Math.max(now, from - 1)).next().value;
  return { ...movedTo(post, at, now), slot_number: place };
}

/** 503: so many at once that this one was always too late. */
export const queueBusy = () =>
  new ApiError({
    status: 503,
    headers: { 'retry-after': '5' },
    body: { error: 'The queue of this profile is busy: try again', code: 'QUEUE_BUSY' },
  });
