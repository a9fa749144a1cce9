import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import { PLATFORM_IDS } from '../shared/model/platform.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import type { Schedules } from './schedules.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceTable } from './table.ts';
import type { Uploads } from './uploads.ts';
import { consume, WorkQueue } from './work-queue.ts';

export interface HousekeepingProps {
  table: ServiceTable;
  secrets: Secrets;
  schedules: Schedules;
  events: WorkQueue;
  uploads: Uploads;
  broadcasts: WorkQueue;
  /** Base of the API, version included. */
  publicUrl: string;
}

/** Background work: delete what belongs to a deleted profile, probe registered media, renew expiring tokens. */
export class Housekeeping extends Construct {
  readonly queue: WorkQueue;

  constructor(
    scope: Construct,
    id: string,
    { table, secrets, schedules, events, uploads, broadcasts, publicUrl }: HousekeepingProps,
  ) {
    super(scope, id);
    const size = SIZES.housekeeper;
    this.queue = new WorkQueue(this, 'Housekeeping', {
      name: 'housekeeping',
      worker_timeout_s: size.timeout_s,
    });
    const housekeeper = new ServiceFunction(this, 'Housekeeper', {
      bundle: 'housekeeper',
      environment: { [ENV.publicUrl]: publicUrl },
      ...size,
    });
    table.grant(housekeeper, 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem');
    secrets.grantReadKeyRing(housekeeper);
    secrets.grantReadPlatformApps(housekeeper, PLATFORM_IDS);
    schedules.grant(housekeeper, 'DeleteSchedule');
    events.grantSend(housekeeper, ENV.eventsQueueUrl);
    broadcasts.grantSend(housekeeper, ENV.broadcastQueueUrl);
    uploads.grantReleaseCopies(housekeeper);
    consume(this.queue.queue, housekeeper, { batchSize: 1, maxConcurrency: 10 });
  }

  /** Lets the function send messages to the housekeeping queue. */
  grantSend(to: ServiceFunction): void {
    this.queue.grantSend(to, ENV.housekeepingQueueUrl);
  }
}
