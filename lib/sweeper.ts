import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import type { Housekeeping } from './housekeeping.ts';
import type { Publishing } from './publishing.ts';
import type { ServiceTable } from './table.ts';
import type { Uploads } from './uploads.ts';
import type { WorkQueue } from './work-queue.ts';

export interface SweeperProps {
  table: ServiceTable;
  publishing: Publishing;
  events: WorkQueue;
  housekeeping: Housekeeping;
  uploads: Uploads;
  broadcasts: WorkQueue;
}

/** Sends the message of every overdue item again, once a minute. */
export class Sweeper extends Construct {
  readonly worker: ServiceFunction;

  constructor(
    scope: Construct,
    id: string,
    { table, publishing, events, housekeeping, uploads, broadcasts }: SweeperProps,
  ) {
    super(scope, id);
    this.worker = new ServiceFunction(this, 'Worker', { bundle: 'sweeper', ...SIZES.sweeper });
    table.grantQueryWakeIndex(this.worker);
    table.grant(this.worker, 'UpdateItem');
    publishing.dispatch.grantSend(this.worker, ENV.dispatchQueueUrl);
    events.grantSend(this.worker, ENV.eventsQueueUrl);
    housekeeping.grantSend(this.worker);
    uploads.grantSend(this.worker);
    broadcasts.grantSend(this.worker, ENV.broadcastQueueUrl);
    new Rule(this, 'EveryMinute', {
      schedule: Schedule.rate(Duration.minutes(1)),
      // The next run is soon enough.
      targets: [new LambdaFunction(this.worker.lambda, { retryAttempts: 0 })],
    });
  }
}
