import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SNSClient } from '@aws-sdk/client-sns';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { Table } from '../../shared/store/table.ts';

/** The stack that a command works with. */
export interface Target {
  isLocal: boolean;
  table: Table;
  ssm: SSMClient;
  sqs: SQSClient;
  lambda: LambdaClient;
  scheduler: SchedulerClient;
  s3: S3Client;
  sns: SNSClient;
  parameterPrefix: string;
  /** What `npm run admin --` needs to choose this stack again. */
  arguments: string;
  /**
   * Reads what the functions of the stack are told: returns a function that returns the value of an environment variable, and
   * throws when it has none.
   */
  settings: () => Promise<Setting>;
  /** Returns the ARN of the topic of the alarms; null where nobody is notified. */
  alarmTopic: () => Promise<string | null>;
}

export type Setting = (name: string) => string;

/** Returns the settings in these environment variables. */
export function settingIn(environment: Readonly<Record<string, string>>): Setting {
  return name => {
    const value = environment[name];
    if (value === undefined)
      throw new Error(`The stack does not tell ${name}. Deploy the current version first`);
    return value;
  };
}

/** Returns the options that are given, as the command line has them, with a leading space. */
export function argumentsOf(options: Record<string, string | undefined>): string {
  return Object.entries(options)
    .flatMap(([name, value]) => (value === undefined ? [] : [` --${name} ${value}`]))
    .join('');
}
