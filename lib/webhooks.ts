import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceTable } from './table.ts';
import { workOff, WorkQueue } from './work-queue.ts';

/** A look-up holds a thread until name servers answer. With Node's four, four dead ones would hold up everybody. */
const LOOKUP_THREADS = '128';

/** Events on their way to the receivers that asked for them. */
export class Webhooks extends Construct {
  readonly events: WorkQueue;
  readonly dispatcher: ServiceFunction;

  constructor(scope: Construct, id: string, { table, secrets }: { table: ServiceTable; secrets: Secrets }) {
    super(scope, id);
    const size = SIZES['webhook-dispatcher'];
    this.events = new WorkQueue(this, 'Events', { name: 'events', worker_timeout_s: size.timeout_s });
    this.dispatcher = new ServiceFunction(this, 'Dispatcher', {
      bundle: 'webhook-dispatcher',
      ...size,
      environment: { UV_THREADPOOL_SIZE: LOOKUP_THREADS },
    });
    table.open(this.dispatcher, 'GetItem', 'PutItem', 'UpdateItem');
    secrets.openKeyRing(this.dispatcher);
    this.events.openForSending(this.dispatcher, ENV.eventsQueueUrl);
    workOff(this.events.queue, this.dispatcher, { batchSize: 10 });
  }
}
