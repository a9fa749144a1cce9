import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueDepth } from './aws/sqs.ts';
import type { MappingView } from './lambda/mappings.ts';

/** What the stack is doing, and what waits to be done at once. */
export interface Work {
  /** Running invocations by function. */
  working: Record<string, number>;
  /** Queues of functions that have messages to receive. */
  waiting: QueueDepth[];
}

export interface WorkSources {
  working: () => Record<string, number>;
  queues: () => QueueDepth[];
  mappings: () => MappingView[];
}

const POLL_MS = 25;
/** A message on its way from a queue to its function is in neither. */
const QUIET_POLLS = 2;

export function currentWork({ working, queues, mappings }: WorkSources): Work {
  const consumed = new Set(mappings().map(({ queue }) => queue));
  return {
    working: working(),
    waiting: queues().filter(({ name, depth }) => consumed.has(name) && depth > 0),
  };
}

/** Returns once there is nothing to do, at the latest after `limitMs`. */
export async function whenWorkIsDone(sources: WorkSources, limitMs: number): Promise<Work> {
  const limit = performance.now() + limitMs;
  for (let quiet = 0; ;) {
    const work = currentWork(sources);
    quiet = isDone(work) ? quiet + 1 : 0;
    if (quiet === QUIET_POLLS || performance.now() > limit) return work;
    await sleep(POLL_MS);
  }
}

export const isDone = ({ working, waiting }: Work): boolean =>
  waiting.length === 0 && Object.keys(working).length === 0;
