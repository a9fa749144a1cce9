import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { createCalls } from '../../local/aws/calls.ts';
import { createAwsFaults } from '../../local/aws/faults.ts';
import { startAwsFront } from '../../local/aws/front.ts';
import type { Scheduler } from '../../local/aws/scheduler.ts';
import { createSqs } from '../../local/aws/sqs.ts';
import { createSsm } from '../../local/aws/ssm.ts';
import { localClient } from '../../local/aws/tables.ts';
import { openStore } from '../../local/store.ts';
import { noBuckets } from './bucket.ts';

export interface SchedulerFront {
  /** The SDK's own client; it talks to the Scheduler that was put behind the front last. */
  client: SchedulerClient;
  open: (scheduler: Scheduler) => void;
  close: () => Promise<void>;
}

/** The local endpoint of AWS with nothing behind it but a Scheduler. */
export async function schedulerFront(): Promise<SchedulerFront> {
  const front = await startAwsFront();
  const client = new SchedulerClient(localClient(front.url));
  const nothing = {
    dynamoDb: '',
    sqs: createSqs(null),
    ssm: createSsm(openStore(null), Date.now),
    faults: createAwsFaults(() => Promise.resolve()),
    calls: createCalls(),
    s3: noBuckets,
  };
  return {
    client,
    open: scheduler => front.open({ ...nothing, scheduler }),
    close: async () => {
      client.destroy();
      await front.close();
    },
  };
}
