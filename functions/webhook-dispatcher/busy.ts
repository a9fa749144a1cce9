import { setTimeout as sleep } from 'node:timers/promises';

/** Where more work comes from while a batch waits for its receivers. */
export interface MoreWork<N> {
  /** Waits a little for notes; none is an answer. */
  receive: () => Promise<readonly N[]>;
  /** Works on one note and takes it off the queue where that succeeded. Never throws. */
  work: (message: N) => Promise<void>;
  /** True while there is time for another exchange before this function must end. */
  hasTime: () => boolean;
}

/** A batch that needs longer has a slow receiver in it. Milliseconds. */
const PATIENCE_MS = 500;
/**
 * Notes that one function works on at a time, its batch being one of them. Each may hold ten connections, and all of them
 * stay below the 1024 files that a function may have open.
 */
const MOST_OPEN = 64;

/**
 * Waits for a batch, and works on other notes meanwhile when a receiver is slow. So a function that waits is not one
 * function less for everybody else: any number of receivers may hang, and the queue is still emptied.
 */
export async function stayBusy<T, N>(batch: Promise<T>, more: MoreWork<N>): Promise<T> {
  const open = new Set<Promise<unknown>>();
  const track = (task: Promise<unknown>) => {
    open.add(task);
    const done = () => void open.delete(task);
    task.then(done, done);
  };
  track(batch);
  await Promise.race([batch, sleep(PATIENCE_MS, null, { ref: false })]);
  while (open.size > 0 && more.hasTime()) {
    if (open.size >= MOST_OPEN) await Promise.race(open);
    else for (const message of await more.receive()) track(more.work(message));
  }
  await Promise.all(open);
  return batch;
}
