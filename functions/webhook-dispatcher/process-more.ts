import { setTimeout as sleep } from 'node:timers/promises';

/** How to receive and process further messages. */
export interface QueueWork<M> {
  /** Receives a few messages; an empty list when there are none. */
  receive: () => Promise<readonly M[]>;
  /** Processes one message and deletes it on success. Never throws. */
  work: (message: M) => Promise<void>;
  /** True while there is time for another request before this function must end. */
  hasTime: () => boolean;
}

/** A batch that takes longer has a slow receiver in it. Milliseconds. */
const SLOW_BATCH_MS = 500;
/**
 * Most messages in progress at a time; the batch counts as one. Each may hold ten connections, which together stay below
 * Lambda's limit of 1024 open files.
 */
const MAX_IN_PROGRESS = 64;

/**
 * Awaits a batch and processes further messages of the queue while a receiver is slow. A function that waits for a hanging
 * receiver therefore does not take capacity from the others.
 */
export async function processMoreWhile<T, M>(batch: Promise<T>, more: QueueWork<M>): Promise<T> {
  const inProgress = new Set<Promise<unknown>>();
  const track = (task: Promise<unknown>) => {
    inProgress.add(task);
    const done = () => void inProgress.delete(task);
    task.then(done, done);
  };
  track(batch);
  await Promise.race([batch, sleep(SLOW_BATCH_MS, null, { ref: false })]);
  while (inProgress.size > 0 && more.hasTime()) {
    if (inProgress.size >= MAX_IN_PROGRESS) await Promise.race(inProgress);
    else for (const message of await more.receive()) track(more.work(message));
  }
  await Promise.all(inProgress);
  return batch;
}
