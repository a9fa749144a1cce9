import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import type { JsonObject } from '../../shared/model/json.ts';
import { arn, REGION } from '../template/names.ts';
import type { EventSource } from '../template/lambda.ts';
import { AwsError, type AwsResponse } from '../aws/response.ts';
import { ConnectionDropped } from '../aws/faults.ts';
import type { InvocationResult } from './environment.ts';
import type { Invoke } from './functions.ts';
import { invocationsIn } from './recursion.ts';
import { createSemaphore } from './semaphore.ts';

export interface EventSourceHost {
  sqs: (operation: string, body: JsonObject) => Promise<AwsResponse>;
  queueUrl: (queueName: string) => string;
  invoke: Invoke;
}

export interface Poller {
  /** Stops receiving. Running invocations continue. */
  stop: () => void;
}

/** Concurrent invocations if the template sets no MaximumConcurrency. */
const DEFAULT_CONCURRENCY = 4;
/** An environment takes 35 MB and works on a batch of messages: more of them are slower on a few cores. */
export const MOST_CONCURRENT = 2;
const LONG_POLL_S = 20;
/** Delay after a failed ReceiveMessage. */
const RETRY_DELAY_MS = 200;
const RECEIVE_LIMIT = 10;

const MessageSchema = v.object({
  MessageId: v.string(),
  ReceiptHandle: v.string(),
  Body: v.string(),
  MD5OfBody: v.string(),
  Attributes: v.optional(v.record(v.string(), v.string()), {}),
  MessageAttributes: v.optional(v.record(v.string(), v.looseObject({})), {}),
});
type Message = v.InferOutput<typeof MessageSchema>;
const ReceivedSchema = v.object({ Messages: v.optional(v.array(MessageSchema), []) });

const FailuresSchema = v.object({
  batchItemFailures: v.array(v.object({ itemIdentifier: v.pipe(v.string(), v.nonEmpty()) })),
});

/** Below the maximum of the template where that is more than a development machine can run. */
export const concurrencyOf = ({ maxConcurrency }: EventSource) =>
  Math.min(maxConcurrency ?? DEFAULT_CONCURRENCY, MOST_CONCURRENT);

/**
 * Invokes a function with a queue's messages as Lambda's poller does: deletes the messages that succeeded and leaves the
 * others to the visibility timeout.
 */
export function pollEventSource(source: EventSource, host: EventSourceHost): Poller {
  const semaphore = createSemaphore(concurrencyOf(source));
  const QueueUrl = host.queueUrl(source.queue);
  let stopped = false;

  async function poll(): Promise<void> {
    while (!stopped) {
      await semaphore.acquire();
      const messages = await collect();
      if (messages.length === 0) semaphore.release();
      else void deliver(messages).finally(() => semaphore.release());
    }
  }

  /** Receives one batch; with a batching window, until the batch is full or the window ends. */
  async function collect(): Promise<Message[]> {
    const messages = await receive(source.batchSize, LONG_POLL_S);
    const end = performance.now() + source.windowS * 1000;
    while (messages.length > 0 && messages.length < source.batchSize && performance.now() < end) {
      messages.push(...(await receive(source.batchSize - messages.length, 1)));
    }
    return messages;
  }

  async function receive(wanted: number, waitS: number): Promise<Message[]> {
    if (stopped) return [];
    try {
      const { body } = await host.sqs('ReceiveMessage', {
        QueueUrl,
        MaxNumberOfMessages: Math.min(RECEIVE_LIMIT, wanted),
        WaitTimeSeconds: waitS,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      });
      const json: unknown = JSON.parse(body);
      return v.parse(ReceivedSchema, json).Messages;
    } catch (error) {
      if (!(error instanceof AwsError || error instanceof ConnectionDropped)) throw error;
      await sleep(RETRY_DELAY_MS);
      return [];
    }
  }

  async function deliver(messages: readonly Message[]): Promise<void> {
    const event = sqsEvent(messages, source.queue);
    const result = await host.invoke(source.function, event, longestChain(messages, source.function));
    const failed = failedIds(result, messages, source.partialFailures);
    for (const { MessageId, ReceiptHandle } of messages) {
      if (!stopped && !failed.has(MessageId)) await remove(ReceiptHandle);
    }
  }

  /** A message that could not be deleted is redelivered. */
  async function remove(ReceiptHandle: string): Promise<void> {
    try {
      await host.sqs('DeleteMessage', { QueueUrl, ReceiptHandle });
    } catch (error) {
      if (!(error instanceof AwsError || error instanceof ConnectionDropped)) throw error;
    }
  }

  poll().catch((error: unknown) => {
    if (!stopped) console.error(`The poller of ${source.queue} failed:`, error);
  });
  return { stop: () => void (stopped = true) };
}

/** Tracing header of the batch: that of the message whose chain has invoked the function most often. */
function longestChain(messages: readonly Message[], functionName: string): string | null {
  const headers = messages.flatMap(({ Attributes }) => Attributes['AWSTraceHeader'] ?? []);
  const [longest] = headers.toSorted(
    (a, b) => invocationsIn(b, functionName) - invocationsIn(a, functionName),
  );
  return longest ?? null;
}

/** Ids of the messages that stay on the queue. An unknown or missing id in the response fails the whole batch. */
export function failedIds(
  result: InvocationResult,
  messages: readonly { MessageId: string }[],
  partialFailures: boolean,
): Set<string> {
  const all = new Set(messages.map(({ MessageId }) => MessageId));
  if (!result.ok) return all;
  if (!partialFailures || isEmptyResponse(result.result)) return new Set();
  const response = v.safeParse(FailuresSchema, result.result);
  if (!response.success) return all;
  const named = response.output.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  return named.every(id => all.has(id)) ? new Set(named) : all;
}

/** Whether the response reports no failures: it is empty or has no list. */
function isEmptyResponse(result: unknown): boolean {
  if (result === null || result === undefined) return true;
  const response = v.safeParse(
    v.looseObject({ batchItemFailures: v.optional(v.nullable(v.unknown())) }),
    result,
  );
  return response.success && (response.output.batchItemFailures ?? null) === null;
}

function sqsEvent(messages: readonly Message[], queue: string) {
  return {
    Records: messages.map(message => ({
      messageId: message.MessageId,
      receiptHandle: message.ReceiptHandle,
      body: message.Body,
      attributes: message.Attributes,
      messageAttributes: Object.fromEntries(
        Object.entries(message.MessageAttributes).map(([name, value]) => [name, lowerFirst(value)]),
      ),
      md5OfBody: message.MD5OfBody,
      eventSource: 'aws:sqs',
      eventSourceARN: arn('sqs', queue),
      awsRegion: REGION,
    })),
  };
}

/** `{StringValue, DataType}` becomes `{stringValue, dataType}`. */
function lowerFirst(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name.charAt(0).toLowerCase() + name.slice(1), item]),
  );
}
