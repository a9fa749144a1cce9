import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Creates a value at its first use and caches it: a function pays only for the clients it calls. */
export function lazy<T>(create: () => T): () => T {
  let cached: { value: T } | null = null;
  return () => (cached ??= { value: create() }).value;
}

/** A client, or the promise of one whose code is loaded at its first use. */
export type Loadable<T> = T | Promise<T>;

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
export const sqs = lazy(async () => {
  const { SQSClient } = await import('./sdk/sqs.ts');
  return new SQSClient({ useQueueUrlAsEndpoint: false, ...timeouts(5000) });
});
export const lambda = lazy(async () => {
  const { LambdaClient } = await import('./sdk/lambda.ts');
  return new LambdaClient(timeouts(5000));
});
export const scheduler = lazy(async () => {
  const { SchedulerClient } = await import('./sdk/scheduler.ts');
  return new SchedulerClient(timeouts(5000));
});
/**
 * No default checksums: in a presigned URL they would be those of an empty body. No `Expect: 100-continue`: it costs a
 * round trip for each part.
 */
export const s3 = lazy(async () => {
  const { S3Client } = await import('./sdk/s3.ts');
  return new S3Client({
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    requestHandler: { connectionTimeout: 5000, socketTimeout: 60_000 },
  });
});
/** SSM throttles above 40 reads a second: eight attempts last for about ten seconds. */
export const ssm = lazy(async () => {
  const { SSMClient } = await import('./sdk/ssm.ts');
  return new SSMClient({ maxAttempts: 8, ...timeouts(2000) });
});
