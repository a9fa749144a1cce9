import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { describeError, log } from './log.ts';

export type QueueHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/**
 * A queue consumer: each message is parsed and acted on by itself, and only those that failed come back. A message
 * that cannot be read comes back too, and so ends in the dead-letter queue, where it is seen.
 */
export function consume<T>(
  schema: v.GenericSchema<unknown, T>,
  act: (message: T, context: Context) => Promise<void>,
): QueueHandler {
  return async ({ Records }, context) => {
    const failures = await Promise.all(
      Records.map(record => failureOf(record, message => act(message, context), schema)),
    );
    return { batchItemFailures: failures.filter(failure => failure !== null) };
  };
}

/** Acts on one message; its failure, logged, or null. */
export async function failureOf<T>(
  record: Pick<SQSRecord, 'messageId' | 'body'>,
  act: (message: T) => Promise<void>,
  schema: v.GenericSchema<unknown, T>,
): Promise<{ itemIdentifier: string } | null> {
  try {
    const json: unknown = JSON.parse(record.body);
    await act(v.parse(schema, json));
    return null;
  } catch (error) {
    log.error('A note was not handled and comes back', {
      message_id: record.messageId,
      ...describeError(error),
    });
    return { itemIdentifier: record.messageId };
  }
}
