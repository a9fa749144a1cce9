import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SSMClient } from '@aws-sdk/client-ssm';
import { dynamo, lambda, s3, scheduler, sqs, ssm, type Loadable } from '../aws/clients.ts';
import { env, ENV } from '../aws/env.ts';
import { loadKeyRing, type KeyRing } from '../aws/key-ring.ts';
import type { Bucket } from '../store/objects.ts';
import type { Table } from '../store/table.ts';

/** The clients and settings of a function. Tests pass their own; `services()` returns those of a deployed function. */
export interface Services {
  readonly table: Table;
  readonly bucket: Bucket;
  readonly sqs: Loadable<SQSClient>;
  readonly lambda: Loadable<LambdaClient>;
  readonly scheduler: Loadable<SchedulerClient>;
  readonly ssm: Loadable<SSMClient>;
  /**
   * Returns the keys that seal tokens and secrets, cached per container. `sealed`: a text to unseal, whose key the container
   * may not know yet.
   */
  keyRing: (sealed?: string) => Promise<KeyRing>;
  /** Returns the value of an environment variable; throws when it is not set. */
  setting: (name: string) => string;
  /** Returns the current time in epoch milliseconds. */
  now: () => number;
}

/** Returns the services of this container. Clients are loaded and created at first use, that of the table at once. */
export function services(): Services {
  return {
    get table() {
      return { client: dynamo(), name: env(ENV.table) };
    },
    get bucket() {
      return {
        get client() {
          return s3();
        },
        name: env(ENV.mediaBucket),
        publicUrl: env(ENV.mediaUrl),
      };
    },
    get sqs() {
      return sqs();
    },
    get lambda() {
      return lambda();
    },
    get scheduler() {
      return scheduler();
    },
    get ssm() {
      return ssm();
    },
    keyRing: sealed => loadKeyRing(ssm(), env(ENV.parameterPrefix), Date.now(), sealed),
    setting: env,
    now: () => Date.now(),
  };
}
