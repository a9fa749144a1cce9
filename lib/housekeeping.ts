import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import { PLATFORM_IDS } from '../shared/model/platform.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import type { Schedules } from './schedules.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceTable } from './table.ts';
import { workOff, WorkQueue } from './work-queue.ts';

export interface HousekeepingProps {
  table: ServiceTable;
  secrets: Secrets;
  schedules: Schedules;
}

/** Work that no request waits for: what a deleted profile leaves, a look at registered files, tokens about to end. */
export class Housekeeping extends Construct {
  readonly notes: WorkQueue;

  constructor(scope: Construct, id: string, { table, secrets, schedules }: HousekeepingProps) {
    super(scope, id);
    const size = SIZES.housekeeper;
    this.notes = new WorkQueue(this, 'Housekeeping', {
      name: 'housekeeping',
      worker_timeout_s: size.timeout_s,
    });
    const housekeeper = new ServiceFunction(this, 'Housekeeper', { bundle: 'housekeeper', ...size });
    table.open(housekeeper, 'GetItem', 'Query', 'UpdateItem', 'DeleteItem', 'BatchWriteItem');
    secrets.openKeyRing(housekeeper);
    secrets.openPlatformApps(housekeeper, PLATFORM_IDS);
    schedules.open(housekeeper, 'DeleteSchedule');
    workOff(this.notes.queue, housekeeper, { batchSize: 1, maxConcurrency: 10 });
  }

  /** Lets the function leave notes for the housekeeper. */
  openForSending(to: ServiceFunction): void {
    this.notes.openForSending(to, ENV.housekeepingQueueUrl);
  }
}
