import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SSMClient } from '@aws-sdk/client-ssm';
import { dynamo, s3, scheduler, sqs, ssm } from '../aws/clients.ts';
import { env, ENV } from '../aws/env.ts';
import { loadKeyRing, type KeyRing } from '../aws/key-ring.ts';
import type { Bucket } from '../store/objects.ts';
import type { Table } from '../store/table.ts';

/** The collaborators of a function. Tests hand in their own; `services()` makes those of a deployed one. */
export interface Services {
  readonly table: Table;
  readonly bucket: Bucket;
  readonly sqs: SQSClient;
  readonly scheduler: SchedulerClient;
  readonly ssm: SSMClient;
  /** The keys that seal tokens and secrets; read once per container. */
  keyRing: () => Promise<KeyRing>;
  /** A setting of the stack by its variable; throws where it is missing. */
  setting: (name: string) => string;
  /** Epoch milliseconds. */
  now: () => number;
}

/** The services of this container. Clients are made at first use. */
export function services(): Services {
  return {
    get table() {
      return { client: dynamo(), name: env(ENV.table) };
    },
    get bucket() {
      return { client: s3(), name: env(ENV.mediaBucket), publicUrl: env(ENV.mediaUrl) };
    },
    get sqs() {
      return sqs();
    },
    get scheduler() {
      return scheduler();
    },
    get ssm() {
      return ssm();
    },
    keyRing: () => loadKeyRing(ssm(), env(ENV.parameterPrefix)),
    setting: env,
    now: () => Date.now(),
  };
}
