import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Creates a value at its first use and caches it: a function pays only for the clients it calls. */
export function lazy<T>(create: () => T): () => T {
  let cached: { value: T } | null = null;
  return () => (cached ??= { value: create() }).value;
}

/**
 * Timeouts in milliseconds. The SDK has none by default; with these, all attempts of a call end before the timeout of
 * the function that makes it.
 */
export const timeouts = (requestTimeout: number) => ({
  requestHandler: { connectionTimeout: 2000, requestTimeout, throwOnRequestTimeout: true },
});

/** Throttling passes within seconds, so that five attempts are worth it (the SDK's default is three). */
export const dynamo = lazy(() =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 5, ...timeouts(3000) }), {
    marshallOptions: { removeUndefinedValues: true },
  }),
);
export const sqs = lazy(() => new SQSClient({ useQueueUrlAsEndpoint: false, ...timeouts(5000) }));
export const lambda = lazy(() => new LambdaClient(timeouts(5000)));
export const scheduler = lazy(() => new SchedulerClient(timeouts(5000)));
/**
 * No default checksums: in a presigned URL they would be those of an empty body. No `Expect: 100-continue`: it costs a
 * round trip for each part.
 */
export const s3 = lazy(
  () =>
    new S3Client({
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      expectContinueHeader: false,
      requestHandler: { connectionTimeout: 5000, socketTimeout: 60_000 },
    }),
);
/** SSM throttles above 40 reads a second: eight attempts last for about ten seconds. */
export const ssm = lazy(() => new SSMClient({ maxAttempts: 8, ...timeouts(2000) }));
