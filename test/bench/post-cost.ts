import { SIZES } from '../../lib/functions.ts';
import type { PlatformId } from '../../shared/model/platform.ts';
import { BASICS } from '../../shared/platforms/registry/basics.ts';
import { PROCESSOR_MB } from '../support/burst.ts';
import { PRICES } from './prices.ts';

/** What a post uses of what AWS bills. */
export interface Use {
  read_units: number;
  write_units: number;
  schedules: number;
  /** Messages of each kind of queue; a message is one run of its consumer. */
  dispatch: number;
  publish: number;
  /** Memory of the publishers, on average of the platforms. */
  publisher_mb: number;
  events: number;
  /** Receives of the webhook dispatcher itself, while it waits for receivers, less what it deletes in Lambda's stead. */
  further_receives: number;
}

/** Milliseconds of the dispatcher for a post. A high estimate. */
const DISPATCH_MS = 50;
/** Processor time of creating a post, half more than `npm run bench -- warm` measures, and its waits for the table. */
const CREATION_CPU_MS = 12;
const CREATION_WAIT_MS = 30;
/** Processor time of a lone delivery, in an environment that has made fifty (`npm run bench -- delivery`), and its waits. */
const DELIVERY_CPU_MS = 17;
const DELIVERY_WAIT_MS = 15;
/** Milliseconds until a platform has answered all requests of a text post, and until a receiver of webhooks has answered. */
export const PLATFORM_MS = 400;
const RECEIVER_MS = 200;
/** Processor time of an event in the webhook dispatcher, and its waits for the table; measured with local parts. */
const EVENT_CPU_MS = 12;
const EVENT_WAIT_MS = 15;
/** A message is sent, received and deleted. */
const REQUESTS = 3;

/** Returns the memory of these platforms' publishers on average, in MB. */
export const publisherMb = (platforms: readonly PlatformId[]): number =>
  platforms.reduce((sum, platform) => sum + BASICS[platform].worker.memory_mb, 0) / platforms.length;

/** Returns the price of one run of a function in dollars. */
export const run = (memory_mb: number, ms: number): number =>
  PRICES.lambda_request + (memory_mb / 1024) * (ms / 1000) * PRICES.lambda_gb_second;

/** The share of a processor follows the memory. */
const processorMs = (memory_mb: number, cpuMs: number) => cpuMs / (memory_mb / PROCESSOR_MB);

const creationRun = (memory_mb: number) =>
  run(memory_mb, CREATION_WAIT_MS + processorMs(memory_mb, CREATION_CPU_MS));

const deliveryRun = (memory_mb: number) =>
  run(memory_mb, PLATFORM_MS + DELIVERY_WAIT_MS + processorMs(memory_mb, DELIVERY_CPU_MS));

const eventRun = (memory_mb: number) =>
  run(memory_mb, RECEIVER_MS + EVENT_WAIT_MS + processorMs(memory_mb, EVENT_CPU_MS));

/** Returns the price of a thousand posts in dollars, by what it is paid for. */
export function costsOf(use: Use): Record<string, number> {
  const messages = use.dispatch + use.publish + use.events;
  const each = {
    'API requests': PRICES.http_api_request + creationRun(SIZES.api.memory_mb),
    Writes: use.write_units * PRICES.write_unit,
    Reads: use.read_units * PRICES.read_unit,
    'Queue requests': (REQUESTS * messages + use.further_receives) * PRICES.sqs_request,
    Publishers: use.publish * deliveryRun(use.publisher_mb),
    'Schedules and dispatch':
      use.schedules * PRICES.schedule + use.dispatch * run(SIZES.dispatcher.memory_mb, DISPATCH_MS),
    Webhooks: use.events * eventRun(SIZES['webhook-dispatcher'].memory_mb),
  };
  return Object.fromEntries(Object.entries(each).map(([what, dollars]) => [what, 1000 * dollars]));
}
