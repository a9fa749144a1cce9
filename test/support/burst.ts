/* How long AWS takes for many texts to three platforms that are due in the same second, computed from measured constants. */
import { CAPACITY } from '../../shared/delivery/load.ts';
import { LEAD_MS } from '../../shared/delivery/timing.ts';
import { RULES } from '../../shared/platforms/registry/rules.ts';
import { MINUTE, SECOND } from '../../shared/time/instant.ts';

/** Processor time of a delivery: `npm run bench -- publisher`. */
export const DELIVERY_CPU_MS = 9;
/** How long a platform takes to publish a text. */
export const ANSWER_MS = 300;
/** Write units of a post to three platforms after its creation: docs/data-model.md. */
export const WRITE_UNITS = 11;
/** Schedules that EventBridge Scheduler invokes in a second, up to a minute late. */
const SCHEDULES = 1000;
/** Memory with which a Lambda function has one processor. */
export const PROCESSOR_MB = 1769;

export const BURSTS = [1000, 10_000, 100_000];
/** Environments of each publisher: the setting, and a raised one. */
export const ENVIRONMENTS = [RULES.x.worker.max_concurrency, 100];
/** Write units a second: of one workspace, of a new table, of a table with the default quota. */
export const TABLE_UNITS = [1000, 4000, 40_000];

/** Returns how long an environment takes for a full batch, in milliseconds. */
export function batchMs(): number {
  const processors = RULES.x.worker.memory_mb / PROCESSOR_MB;
  return ANSWER_MS + (CAPACITY * DELIVERY_CPU_MS) / processors;
}

/** Returns the texts that a publisher with so many environments publishes in a second. */
export const rateOf = (environments: number): number => (environments * CAPACITY * SECOND) / batchMs();

/** Returns the seconds after the due time in which each part has handled so many posts: Scheduler, publishers, table. */
export const secondsOf = (posts: number): number[] => [
  Math.max(0, posts / SCHEDULES - (LEAD_MS - MINUTE) / SECOND),
  ...ENVIRONMENTS.map(environments => posts / rateOf(environments)),
  ...TABLE_UNITS.map(units => (posts * WRITE_UNITS) / units),
];
