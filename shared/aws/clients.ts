import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Makes a value once, at its first use: a function pays only for the clients it calls. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/**
 * Without these a call waits for its answer for ever. All tries of a call together end before the function that makes
 * it does.
 */
const patience = (requestTimeout: number) => ({
  requestHandler: { connectionTimeout: 2000, requestTimeout, throwOnRequestTimeout: true },
});

/** Throttling passes within seconds: worth two more tries than the SDK makes by itself. */
export const dynamo = once(() =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 5, ...patience(3000) }), {
    marshallOptions: { removeUndefinedValues: true },
  }),
);
export const sqs = once(() => new SQSClient({ useQueueUrlAsEndpoint: false, ...patience(5000) }));
export const scheduler = once(() => new SchedulerClient(patience(5000)));
/**
 * Without checksums that nobody asked for: in a signed address they would be those of an empty body. And without asking
 * whether a body may come: that costs a round trip for each part.
 */
export const s3 = once(
  () =>
    new S3Client({
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      expectContinueHeader: false,
      requestHandler: { connectionTimeout: 5000, socketTimeout: 60_000 },
    }),
);
export const ssm = once(() => new SSMClient(patience(5000)));
