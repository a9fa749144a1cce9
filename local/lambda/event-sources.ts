import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import type { JsonObject } from '../../shared/model/json.ts';
import { arn, REGION } from '../template/names.ts';
import type { EventSource } from '../template/resources.ts';
import { AwsError, type AwsAnswer } from '../aws/answer.ts';
import { Cut } from '../aws/faults.ts';
import type { Outcome } from './environment.ts';
import { createSlots } from './slots.ts';

export interface EventSourceHost {
  sqs: (operation: string, body: JsonObject) => Promise<AwsAnswer>;
  queueUrl: (queueName: string) => string;
  invoke: (functionName: string, event: unknown) => Promise<Outcome>;
}

export interface Poller {
  /** Stops receiving. What runs goes on. */
  stop: () => void;
}

/** Invocations of a source at once, where the template sets none. */
const DEFAULT_CONCURRENCY = 4;
const LONG_POLL_S = 20;
/** After a refusal of the queue. */
const PAUSE_MS = 200;
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

export const concurrencyOf = ({ maxConcurrency }: EventSource) => maxConcurrency ?? DEFAULT_CONCURRENCY;

/**
 * Hands a queue's messages to a function as Lambda's poller does: deletes what succeeded and leaves the rest to the
 * queue's visibility time-out.
 */
export function pollEventSource(source: EventSource, host: EventSourceHost): Poller {
  const slots = createSlots(concurrencyOf(source));
  const QueueUrl = host.queueUrl(source.queue);
  let stopped = false;

  async function poll(): Promise<void> {
    while (!stopped) {
      await slots.take();
      const messages = await collect();
      if (messages.length === 0) slots.give();
      else void deliver(messages).finally(() => slots.give());
    }
  }

  /** One batch: whatever is there, or with a batching window what comes until the batch is full or the window ends. */
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
      if (!(error instanceof AwsError || error instanceof Cut)) throw error;
      await sleep(PAUSE_MS);
      return [];
    }
  }

  async function deliver(messages: readonly Message[]): Promise<void> {
    const outcome = await host.invoke(source.function, sqsEvent(messages, source.queue));
    const failed = failedIds(outcome, messages, source.partialFailures);
    for (const { MessageId, ReceiptHandle } of messages) {
      if (!stopped && !failed.has(MessageId)) await remove(ReceiptHandle);
    }
  }

  /** A message that cannot be deleted comes again. */
  async function remove(ReceiptHandle: string): Promise<void> {
    try {
      await host.sqs('DeleteMessage', { QueueUrl, ReceiptHandle });
    } catch (error) {
      if (!(error instanceof AwsError || error instanceof Cut)) throw error;
    }
  }

  poll().catch((error: unknown) => {
    if (!stopped) console.error(`The poller of ${source.queue} broke:`, error);
  });
  return { stop: () => void (stopped = true) };
}

/** Ids of the messages that stay on the queue. An answer that names none of the batch, or no id at all, fails it all. */
export function failedIds(
  outcome: Outcome,
  messages: readonly { MessageId: string }[],
  partialFailures: boolean,
): Set<string> {
  const all = new Set(messages.map(({ MessageId }) => MessageId));
  if (!outcome.ok) return all;
  if (!partialFailures || isEmptyAnswer(outcome.result)) return new Set();
  const answer = v.safeParse(FailuresSchema, outcome.result);
  if (!answer.success) return all;
  const named = answer.output.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  return named.every(id => all.has(id)) ? new Set(named) : all;
}

/** No answer, an empty one, or one whose list is missing: all is well. */
function isEmptyAnswer(result: unknown): boolean {
  if (result === null || result === undefined) return true;
  const answer = v.safeParse(
    v.looseObject({ batchItemFailures: v.optional(v.nullable(v.unknown())) }),
    result,
  );
  return answer.success && (answer.output.batchItemFailures ?? null) === null;
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
