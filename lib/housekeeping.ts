import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import { PLATFORM_IDS } from '../shared/model/platform.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import type { Schedules } from './schedules.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceTable } from './table.ts';
import type { Uploads } from './uploads.ts';
import type { DeadLetters, WorkQueue } from './work-queue.ts';

export interface HousekeepingProps {
  table: ServiceTable;
  secrets: Secrets;
  schedules: Schedules;
  events: WorkQueue;
  uploads: Uploads;
  deadLetters: DeadLetters;
  broadcasts: WorkQueue;
  /** Base of the API, version included. */
  publicUrl: string;
}

/** Background work: delete what belongs to a deleted profile, probe registered media, renew expiring tokens. */
export class Housekeeping extends Construct {
  private readonly housekeeper: ServiceFunction;

  constructor(
    scope: Construct,
    id: string,
    { table, secrets, schedules, events, uploads, broadcasts, deadLetters, publicUrl }: HousekeepingProps,
  ) {
    super(scope, id);
    const housekeeper = new ServiceFunction(this, 'Housekeeper', {
      bundle: 'housekeeper',
      environment: { [ENV.publicUrl]: publicUrl },
      ...SIZES.housekeeper,
    }).workInBackground(deadLetters);
    this.housekeeper = housekeeper;
    table.grant(housekeeper, 'GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem');
    table.grant(housekeeper, 'DeleteItem', 'BatchWriteItem');
    secrets.grantReadKeyRing(housekeeper);
    secrets.grantReadPlatformApps(housekeeper, PLATFORM_IDS);
    schedules.grant(housekeeper, 'DeleteSchedule');
    events.grantSend(housekeeper, ENV.eventsQueueUrl);
    broadcasts.grantSend(housekeeper, ENV.broadcastQueueUrl);
    uploads.grantReleaseCopies(housekeeper);
  }

  /** Lets the function start background work. */
  grantStart(to: ServiceFunction): void {
    this.housekeeper.grantInvoke(to, ENV.housekeeper);
  }
}
