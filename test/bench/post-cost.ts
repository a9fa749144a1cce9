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

/** Milliseconds of our own work in a run: the table, queues, parsing. A high estimate for a warm environment. */
const OWN_MS = 50;
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

/** The share of a processor follows the memory; `OWN_MS` is what 1,024 MB take. */
const ownMsWith = (memory_mb: number) => (OWN_MS * 1024) / memory_mb;

/** Returns the price of one run of a function in dollars. */
export const run = (memory_mb: number, ms: number): number =>
  PRICES.lambda_request + (memory_mb / 1024) * (ms / 1000) * PRICES.lambda_gb_second;

const eventRun = (memory_mb: number) =>
  run(memory_mb, RECEIVER_MS + EVENT_WAIT_MS + EVENT_CPU_MS / (memory_mb / PROCESSOR_MB));

/** Returns the price of a thousand posts in dollars, by what it is paid for. */
export function costsOf(use: Use): Record<string, number> {
  const messages = use.dispatch + use.publish + use.events;
  const each = {
    'API requests': PRICES.http_api_request + run(SIZES.api.memory_mb, 2 * OWN_MS),
    Writes: use.write_units * PRICES.write_unit,
    Reads: use.read_units * PRICES.read_unit,
    'Queue requests': (REQUESTS * messages + use.further_receives) * PRICES.sqs_request,
    Publishers: use.publish * run(use.publisher_mb, ownMsWith(use.publisher_mb) + PLATFORM_MS),
    'Schedules and dispatch':
      use.schedules * PRICES.schedule + use.dispatch * run(SIZES.dispatcher.memory_mb, OWN_MS),
    Webhooks: use.events * eventRun(SIZES['webhook-dispatcher'].memory_mb),
  };
  return Object.fromEntries(Object.entries(each).map(([what, dollars]) => [what, 1000 * dollars]));
}
