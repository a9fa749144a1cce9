// The emulator's entry point listens on every network interface and does not support fair queues, so this module calls
// its operations, which are plain functions over a store.
import * as v from 'valibot';
import { SqsError } from '../../node_modules/fauxqs/dist/common/errors.js';
import { PersistenceManager } from '../../node_modules/fauxqs/dist/persistence.js';
import { SnsStore } from '../../node_modules/fauxqs/dist/sns/snsStore.js';
import { changeMessageVisibility } from '../../node_modules/fauxqs/dist/sqs/actions/changeMessageVisibility.js';
import { changeMessageVisibilityBatch } from '../../node_modules/fauxqs/dist/sqs/actions/changeMessageVisibilityBatch.js';
import { deleteMessage } from '../../node_modules/fauxqs/dist/sqs/actions/deleteMessage.js';
import { deleteMessageBatch } from '../../node_modules/fauxqs/dist/sqs/actions/deleteMessageBatch.js';
import { getQueueAttributes } from '../../node_modules/fauxqs/dist/sqs/actions/getQueueAttributes.js';
import { purgeQueue } from '../../node_modules/fauxqs/dist/sqs/actions/purgeQueue.js';
import { receiveMessage } from '../../node_modules/fauxqs/dist/sqs/actions/receiveMessage.js';
import { SqsStore, type SqsQueue } from '../../node_modules/fauxqs/dist/sqs/sqsStore.js';
import type { JsonObject } from '../../shared/model/json.ts';
import type { QueueResource } from '../template/resources.ts';
import { arn } from '../template/names.ts';
import { AwsError, ok, type AwsResponse } from './response.ts';
import { orderFairly } from './sqs-fair.ts';
import { listMessageMoveTasks, startMessageMoveTask, targetOf } from './sqs-move.ts';
import { originOf, sendMessage, sendMessageBatch, traceHeaderOf } from './sqs-send.ts';

export interface QueueDepth {
  name: string;
  /** Messages available for retrieval. */
  depth: number;
  delayed: number;
  in_flight: number;
  /** Messages in its dead-letter queue; null if it has none. */
  dead_letters: number | null;
}

export interface Sqs {
  /** Runs one call of the wire protocol; `traceHeader` is its header `X-Amzn-Trace-Id`. Throws AwsError. */
  handle: (operation: string, body: JsonObject, traceHeader?: string | null) => Promise<AwsResponse>;
  createQueue: (queue: QueueResource, url: string) => void;
  /** Sends a message to the queue with this ARN. Throws if it does not exist. */
  send: (queueArn: string, body: string, delayS?: number) => Promise<void>;
  depths: () => QueueDepth[];
  /** Deletes all messages of one queue or of every queue; false if the queue does not exist. */
  purge: (name?: string) => boolean;
  close: () => void;
}

const ReceivedSchema = v.object({
  Messages: v.optional(
    v.array(
      v.looseObject({
        ReceiptHandle: v.string(),
        Attributes: v.optional(v.record(v.string(), v.string()), {}),
      }),
    ),
  ),
});
const AttributeNamesSchema = v.object({
  AttributeNames: v.optional(v.array(v.string()), []),
  MessageSystemAttributeNames: v.optional(v.array(v.string()), []),
});

/** Operations of the emulator; `traceHeader` is the header `X-Amzn-Trace-Id` of the call. */
type Operation = (body: JsonObject, store: SqsStore, traceHeader: string | null) => unknown;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  SendMessage: (body, store, traceHeader) => sendMessage(queueOf(body, store), body, traceHeader),
  SendMessageBatch: (body, store, traceHeader) => sendMessageBatch(queueOf(body, store), body, traceHeader),
  ReceiveMessage: receive,
  DeleteMessage: deleteMessage,
  DeleteMessageBatch: deleteMessageBatch,
  ChangeMessageVisibility: changeMessageVisibility,
  ChangeMessageVisibilityBatch: changeMessageVisibilityBatch,
  GetQueueAttributes: getQueueAttributes,
  GetQueueUrl: queueUrl,
  PurgeQueue: purgeQueue,
  StartMessageMoveTask: startMessageMoveTask,
  ListMessageMoveTasks: listMessageMoveTasks,
};

/** SQS on the fauxqs store, which reads the global `Date`. Keeps messages in `folder` unless it is null. */
export function createSqs(folder: string | null): Sqs {
  const store = new SqsStore();
  const persistence = folder === null ? null : restore(store, folder);

  async function handle(
    operation: string,
    body: JsonObject,
    traceHeader: string | null = null,
  ): Promise<AwsResponse> {
    const run = OPERATIONS[operation];
    if (!run) throw new AwsError('UnsupportedOperation', `The local SQS does not support ${operation}`);
    try {
      return ok((await run(body, store, traceHeader)) ?? {});
    } catch (error) {
      if (error instanceof SqsError) throw new AwsError(error.code, error.message, error.statusCode);
      throw error;
    }
  }

  return {
    handle,
    createQueue: ({ name, attributes }, url) => {
      const existing = store.getQueueByName(name);
      if (existing) existing.setAttributes(attributes);
      else store.createQueue(name, url, arn('sqs', name), attributes);
    },
    send: async (queueArn, body, delayS = 0) => {
      const queue = store.getQueueByArn(queueArn);
      if (!queue) throw new Error(`The queue ${queueArn} does not exist`);
      await handle('SendMessage', { QueueUrl: queue.url, MessageBody: body, DelaySeconds: delayS });
    },
    depths: () => [...store.allQueues()].map(queue => depth(queue, store)),
    purge: name => {
      const purged = [...store.allQueues()].filter(queue => name === undefined || queue.name === name);
      for (const queue of purged) queue.purge();
      return name === undefined || purged.length > 0;
    },
    close: () => {
      store.shutdown();
      persistence?.close();
    },
  };
}

/** Loads the messages of an earlier run before new ones are written. */
function restore(store: SqsStore, folder: string): PersistenceManager {
  const persistence = new PersistenceManager(folder);
  persistence.loadSqsAndSns(store, new SnsStore());
  store.persistence = persistence;
  for (const queue of store.allQueues()) queue.persistence = persistence;
  return persistence;
}

function queueOf(body: JsonObject, store: SqsStore): SqsQueue {
  const queue = store.getQueue(v.parse(v.optional(v.string(), ''), body['QueueUrl']));
  if (!queue) throw queueDoesNotExist();
  return queue;
}

/** Receives in the order of a fair queue, and adds the system attributes that the emulator does not support. */
async function receive(body: JsonObject, store: SqsStore): Promise<unknown> {
  const queue = queueOf(body, store);
  orderFairly(queue);
  const received = v.parse(ReceivedSchema, await receiveMessage(body, store)).Messages;
  const { AttributeNames, MessageSystemAttributeNames } = v.parse(AttributeNamesSchema, body);
  const names = new Set([...AttributeNames, ...MessageSystemAttributeNames]);
  const Messages = received?.map(message => {
    const more = [...moreAttributes(message.ReceiptHandle, queue)].filter(
      ([name]) => names.has('All') || names.has(name),
    );
    if (more.length === 0) return message;
    return { ...message, Attributes: { ...message.Attributes, ...Object.fromEntries(more) } };
  });
  return { Messages };
}

/** Returns the tracing header of a received message, and the ARN of the queue that it was moved from. */
function* moreAttributes(receipt: string, queue: SqsQueue): Generator<[name: string, value: string]> {
  const stored = queue.inflightMessages.get(receipt)?.message;
  if (!stored) return;
  const header = traceHeaderOf(stored);
  if (header !== undefined) yield ['AWSTraceHeader', header];
  const origin = originOf(stored);
  if (origin && origin !== queue) yield ['DeadLetterQueueSourceArn', origin.arn];
}

function queueUrl(body: JsonObject, store: SqsStore): unknown {
  const queue = store.getQueueByName(v.parse(v.string(), body['QueueName']));
  if (!queue) throw queueDoesNotExist();
  return { QueueUrl: queue.url };
}

const queueDoesNotExist = () => new SqsError('QueueDoesNotExist', 'The specified queue does not exist.');

function depth(queue: SqsQueue, store: SqsStore): QueueDepth {
  queue.processTimers();
  const { ready, delayed, inflight } = queue.inspectMessages();
  const dead = deadLetterQueue(queue, store);
  return {
    name: queue.name,
    depth: ready.length,
    delayed: delayed.length,
    in_flight: inflight.length,
    dead_letters: dead ? dead.inspectMessages().ready.length + dead.inflightMessages.size : null,
  };
}

function deadLetterQueue(queue: SqsQueue, store: SqsStore): SqsQueue | undefined {
  const target = targetOf(queue.attributes);
  return target === null ? undefined : store.getQueueByArn(target);
}
