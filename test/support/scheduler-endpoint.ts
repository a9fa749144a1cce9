import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { noLambda } from './lambda.ts';
import { createCalls } from '../../local/aws/calls.ts';
import { createAwsFaults } from '../../local/aws/faults.ts';
import { startAwsEndpoint } from '../../local/aws/endpoint.ts';
import type { Scheduler } from '../../local/aws/scheduler.ts';
import { createSqs } from '../../local/aws/sqs.ts';
import { createSsm } from '../../local/aws/ssm.ts';
import { localClientConfig } from '../../local/aws/tables.ts';
import { openStore } from '../../local/store.ts';
import { noBuckets } from './bucket.ts';

export interface SchedulerEndpoint {
  /** Calls the Scheduler that was opened last. */
  client: SchedulerClient;
  open: (scheduler: Scheduler) => void;
  close: () => Promise<void>;
}

/** Starts the local AWS endpoint with a Scheduler only. */
export async function startSchedulerEndpoint(): Promise<SchedulerEndpoint> {
  const awsEndpoint = await startAwsEndpoint();
  const client = new SchedulerClient(localClientConfig(awsEndpoint.url));
  const nothing = {
    dynamoDb: '',
    sqs: createSqs(null),
    lambda: noLambda,
    ssm: createSsm(openStore(null), Date.now),
    faults: createAwsFaults(() => Promise.resolve()),
    calls: createCalls(),
    s3: noBuckets,
  };
  return {
    client,
    open: scheduler => awsEndpoint.open({ ...nothing, scheduler }),
    close: async () => {
      client.destroy();
      await awsEndpoint.close();
    },
  };
}
