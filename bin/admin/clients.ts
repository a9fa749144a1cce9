import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export type ClientConfig = Pick<
  S3ClientConfig,
  'endpoint' | 'region' | 'credentials' | 'forcePathStyle' | 'profile'
>;

/** Returns the clients of a stack. */
export function clientsWith(config: ClientConfig, table: string) {
  const { forcePathStyle: _, ...common } = config;
  return {
    table: { client: DynamoDBDocumentClient.from(new DynamoDBClient(common)), name: table },
    ssm: new SSMClient(common),
    sqs: new SQSClient({ ...common, useQueueUrlAsEndpoint: false }),
    lambda: new LambdaClient(common),
    scheduler: new SchedulerClient(common),
    s3: new S3Client(config),
    sns: new SNSClient(common),
  };
}
