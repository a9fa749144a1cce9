import { createCalls } from '../../local/aws/calls.ts';
import type { AwsServices } from '../../local/aws/endpoint.ts';
import { createAwsFaults } from '../../local/aws/faults.ts';
import { createScheduler } from '../../local/aws/scheduler.ts';
import { createSqs } from '../../local/aws/sqs.ts';
import { createSsm } from '../../local/aws/ssm.ts';
import { openStore } from '../../local/store.ts';
import { noBuckets } from './bucket.ts';
import { noLambda } from './lambda.ts';
import { noTasks } from './no-tasks.ts';

/** Emulated services without any resources, for tests of one of them. */
export function noServices(): AwsServices {
  const store = openStore(null);
  return {
    dynamoDb: '',
    sqs: createSqs(null),
    lambda: noLambda,
    ssm: createSsm(store, Date.now),
    scheduler: createScheduler({ store, now: Date.now, jitterS: 0, deliver: () => Promise.resolve() }),
    faults: createAwsFaults(() => Promise.resolve()),
    calls: createCalls(),
    s3: noBuckets,
    ecs: noTasks,
  };
}
