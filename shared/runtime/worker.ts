import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { describeError, log } from './log.ts';

export type QueueHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/** What an environment can do at once. */
export interface Load<T> {
  capacity: number;
  /** Share of the capacity that a message takes. */
  weightOf: (message: T) => number;
  /** Puts a message that does not fit on the queue again, which does not count as an attempt. */
  sendBack: (message: T) => Promise<void>;
}

/**
 * Returns the handler of a queue consumer. The messages of a batch are handled side by side, with `load` as many as fit
 * and at least one; only those that failed return to the queue. A message that cannot be parsed fails too, and so reaches
 * the dead-letter queue.
 */
export function consume<T>(
  schema: v.GenericSchema<unknown, T>,
  handle: (message: T, context: Context) => Promise<void>,
  load?: Load<T>,
): QueueHandler {
  return async ({ Records }, context) => {
    const handleOne = (message: T) => handle(message, context);
    const handleFitting = load ? within(load, handleOne) : handleOne;
    const failures = await Promise.all(Records.map(record => failureOf(record, handleFitting, schema)));
    return { batchItemFailures: failures.filter(failure => failure !== null) };
  };
}

/** Handles messages up to the capacity, and sends back the others. */
function within<T>({ capacity, weightOf, sendBack }: Load<T>, handle: (message: T) => Promise<void>) {
  let used = 0;
  return (message: T): Promise<void> => {
    const weight = weightOf(message);
    if (used > 0 && used + weight > capacity) return sendBack(message);
    used += weight;
    return handle(message);
  };
}

/** Handles one message. Logs a failure and returns it as a batch item failure; returns null on success. */
export async function failureOf<T>(
  record: Pick<SQSRecord, 'messageId' | 'body'>,
  handle: (message: T) => Promise<void>,
  schema: v.GenericSchema<unknown, T>,
): Promise<{ itemIdentifier: string } | null> {
  try {
    const json: unknown = JSON.parse(record.body);
    await handle(v.parse(schema, json));
    return null;
  } catch (error) {
    log.error('Message handling failed; the message returns to the queue', {
      message_id: record.messageId,
      ...describeError(error),
    });
    return { itemIdentifier: record.messageId };
  }
}
