import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceTable } from './table.ts';
import { WorkQueue, type DeadLetters } from './work-queue.ts';

export interface WebhooksProps {
  table: ServiceTable;
  secrets: Secrets;
  deadLetters: DeadLetters;
  /** Maximum concurrency of the dispatcher. */
  maxConcurrency: number;
}

/** The events queue and the function that delivers events to webhooks. */
export class Webhooks extends Construct {
  readonly events: WorkQueue;
  readonly dispatcher: ServiceFunction;

  constructor(scope: Construct, id: string, { table, secrets, deadLetters, maxConcurrency }: WebhooksProps) {
    super(scope, id);
    const size = SIZES['webhook-dispatcher'];
    this.events = new WorkQueue(this, 'Events', {
      name: 'events',
      worker_timeout_s: size.timeout_s,
      deadLetters,
    });
    this.dispatcher = new ServiceFunction(this, 'Dispatcher', {
      bundle: 'webhook-dispatcher',
      ...size,
      recursive: true,
    });
    table.grant(this.dispatcher, 'GetItem', 'PutItem', 'UpdateItem');
    secrets.grantReadKeyRing(this.dispatcher);
    this.events.grantSend(this.dispatcher, ENV.eventsQueueUrl);
    this.events.consume(this.dispatcher, { batchSize: 10, maxConcurrency });
  }
}
