import { Stack } from 'aws-cdk-lib';
import type { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import { LIVE_PLATFORM } from '../shared/broadcasts/account.ts';
import { LEAST } from './concurrency.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import type { Live } from './live.ts';
import type { Schedules } from './schedules.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceTable } from './table.ts';
import type { WorkQueue } from './work-queue.ts';

export interface BroadcastsProps {
  table: ServiceTable;
  secrets: Secrets;
  schedules: Schedules;
  events: WorkQueue;
  queue: WorkQueue;
  /** What streams playlists; null where the deployment streams none. */
  live: Live | null;
  /** Maximum concurrency of the consumer of each queue. */
  concurrency: ReadonlyMap<string, number>;
}

/** The controller of live broadcasts: it has them start, watches them and ends them. */
export class Broadcasts extends Construct {
  private readonly mapping: EventSourceMapping;

  constructor(scope: Construct, id: string, props: BroadcastsProps) {
    super(scope, id);
    const { table, secrets, schedules, events, queue, live, concurrency } = props;
    const controller = new ServiceFunction(this, 'Controller', {
      bundle: 'broadcast-controller',
      ...SIZES['broadcast-controller'],
      environment: live ? {} : { [ENV.liveWorker]: 'null' },
      recursive: true,
    });
    table.grant(controller, 'GetItem', 'Query', 'UpdateItem', 'DeleteItem');
    secrets.grantReadKeyRing(controller);
    secrets.grantReadPlatformApps(controller, [LIVE_PLATFORM]);
    schedules.grantForBroadcasts(controller);
    events.grantSend(controller, ENV.eventsQueueUrl);
    queue.grantSend(controller, ENV.broadcastQueueUrl);
    live?.grantRun(controller);
    live?.onStopped(queue.queue);
    // As for publish queues: the first broadcast turns the polling on.
    this.mapping = queue.consume(controller, {
      batchSize: 1,
      maxConcurrency: concurrency.get('broadcasts') ?? LEAST,
      enabled: false,
    });
  }

  /** Lets the function turn on the polling of the queue. */
  grantOpen(to: ServiceFunction): void {
    const { partition, region, account } = Stack.of(this);
    const id = this.mapping.eventSourceMappingId;
    to.addEnvironment(ENV.broadcastMapping, id).allow(
      ['lambda:GetEventSourceMapping', 'lambda:UpdateEventSourceMapping'],
      `arn:${partition}:lambda:${region}:${account}:event-source-mapping:${id}`,
    );
  }
}
