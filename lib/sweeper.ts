import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import type { Broadcasts } from './broadcasts.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import type { Housekeeping } from './housekeeping.ts';
import type { Publishing } from './publishing.ts';
import type { ServiceTable } from './table.ts';
import type { Uploads } from './uploads.ts';
import type { DeadLetters, WorkQueue } from './work-queue.ts';

export interface SweeperProps {
  table: ServiceTable;
  publishing: Publishing;
  events: WorkQueue;
  housekeeping: Housekeeping;
  uploads: Uploads;
  deadLetters: DeadLetters;
  /** Base URL of the API with its version, for links in events. */
  publicUrl: string;
  broadcasts: WorkQueue;
  controller: Broadcasts;
}

/** Moves whatever should have moved, once a minute: overdue items, dead letters, publish queues that are not polled. */
export class Sweeper extends Construct {
  readonly worker: ServiceFunction;

  constructor(
    scope: Construct,
    id: string,
    {
      table,
      publishing,
      events,
      housekeeping,
      uploads,
      broadcasts,
      controller,
      deadLetters,
      publicUrl,
    }: SweeperProps,
  ) {
    super(scope, id);
    this.worker = new ServiceFunction(this, 'Worker', {
      bundle: 'sweeper',
      ...SIZES.sweeper,
      // 43,200 traces a month would cost more than the invocations.
      traced: false,
      environment: { [ENV.publicUrl]: publicUrl },
    }).neverRunAgain();
    table.grantQueryWakeIndex(this.worker);
    table.grant(this.worker, 'GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem');
    publishing.dispatch.grantSend(this.worker, ENV.dispatchQueueUrl);
    events.grantSend(this.worker, ENV.eventsQueueUrl);
    housekeeping.grantStart(this.worker);
    uploads.grantStart(this.worker);
    deadLetters.grantRead(this.worker, ENV.deadLetterQueueUrl);
    publishing.grantReopen(this.worker);
    publishing.nameDisabled(this.worker);
    broadcasts.grantSend(this.worker, ENV.broadcastQueueUrl);
    controller.grantOpen(this.worker);
    new Rule(this, 'EveryMinute', {
      schedule: Schedule.rate(Duration.minutes(1)),
      // The next run is soon enough.
      targets: [new LambdaFunction(this.worker.lambda, { retryAttempts: 0 })],
    });
  }
}
