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
import { sendMessage } from '../../node_modules/fauxqs/dist/sqs/actions/sendMessage.js';
import { sendMessageBatch } from '../../node_modules/fauxqs/dist/sqs/actions/sendMessageBatch.js';
import { SqsStore, type SqsQueue } from '../../node_modules/fauxqs/dist/sqs/sqsStore.js';
import type { JsonObject } from '../../shared/model/json.ts';
import type { QueueResource } from '../template/resources.ts';
import { arn } from '../template/names.ts';
import { AwsError, ok, type AwsResponse } from './response.ts';

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
  /** Runs one call of the wire protocol. Throws AwsError. */
  handle: (operation: string, body: JsonObject) => Promise<AwsResponse>;
  createQueue: (queue: QueueResource, url: string) => void;
  /** Sends a message to the queue with this ARN. Throws if it does not exist. */
  send: (queueArn: string, body: string, delayS?: number) => Promise<void>;
  depths: () => QueueDepth[];
  /** Deletes all messages of one queue or of every queue; false if the queue does not exist. */
  purge: (name?: string) => boolean;
  close: () => void;
}

const MAX_DELAY_S = 900;

const EntrySchema = v.looseObject({
  Id: v.optional(v.string(), ''),
  DelaySeconds: v.optional(v.number(), 0),
  MessageGroupId: v.optional(v.string()),
});
type Entry = v.InferOutput<typeof EntrySchema>;
const EntriesSchema = v.optional(v.array(EntrySchema), []);

const SentSchema = v.looseObject({ MessageId: v.string() });
const BatchSentSchema = v.looseObject({
  Successful: v.array(v.looseObject({ Id: v.string(), MessageId: v.string() })),
  Failed: v.array(v.unknown()),
});

const OPERATIONS: Readonly<Record<string, (body: JsonObject, store: SqsStore) => unknown>> = {
  SendMessage: send,
  SendMessageBatch: sendBatch,
  ReceiveMessage: receiveMessage,
  DeleteMessage: deleteMessage,
  DeleteMessageBatch: deleteMessageBatch,
  ChangeMessageVisibility: changeMessageVisibility,
  ChangeMessageVisibilityBatch: changeMessageVisibilityBatch,
  GetQueueAttributes: getQueueAttributes,
  GetQueueUrl: queueUrl,
  PurgeQueue: purgeQueue,
};

/** SQS on the fauxqs store, which reads the global `Date`. Keeps messages in `folder` unless it is null. */
export function createSqs(folder: string | null): Sqs {
  const store = new SqsStore();
  const persistence = folder === null ? null : restore(store, folder);

  async function handle(operation: string, body: JsonObject): Promise<AwsResponse> {
    const run = OPERATIONS[operation];
    if (!run) throw new AwsError('UnsupportedOperation', `The local SQS does not support ${operation}`);
    try {
      return ok((await run(body, store)) ?? {});
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

function send(body: JsonObject, store: SqsStore): unknown {
  const entry = v.parse(EntrySchema, body);
  const error = delayError(entry);
  if (error !== null) throw new SqsError('InvalidParameterValue', error);
  const sent = sendMessage(body, store);
  setGroup(store, body, v.parse(SentSchema, sent).MessageId, entry.MessageGroupId);
  return sent;
}

/** Invalid entries fail on their own; the others are sent. */
function sendBatch(body: JsonObject, store: SqsStore): unknown {
  const entries = v.parse(EntriesSchema, body['Entries']);
  const refused = entries.filter(entry => delayError(entry) !== null);
  if (refused.length === 0 || entries.length > 10) return sendEntries(body, entries, store);
  const accepted = entries.filter(entry => !refused.includes(entry));
  const sent = accepted.length === 0 ? { Successful: [], Failed: [] } : sendEntries(body, accepted, store);
  const failed = refused.map(entry => ({
    Id: entry.Id,
    SenderFault: true,
    Code: 'InvalidParameterValue',
    Message: delayError(entry),
  }));
  return { Successful: sent.Successful, Failed: [...sent.Failed, ...failed] };
}

function sendEntries(body: JsonObject, entries: readonly Entry[], store: SqsStore) {
  const sent = v.parse(BatchSentSchema, sendMessageBatch({ ...body, Entries: entries }, store));
  for (const { Id, MessageId } of sent.Successful) {
    setGroup(store, body, MessageId, entries.find(entry => entry.Id === Id)?.MessageGroupId);
  }
  return sent;
}

function delayError({ DelaySeconds: delay }: Entry): string | null {
  if (Number.isInteger(delay) && delay >= 0 && delay <= MAX_DELAY_S) return null;
  return `Value ${delay} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= ${MAX_DELAY_S}.`;
}

/** Sets the message group, which the emulator drops on standard queues. Runs in the same tick as the send, so before any receive. */
function setGroup(store: SqsStore, body: JsonObject, messageId: string, group: string | undefined): void {
  if (group === undefined) return;
  const queue = store.getQueue(v.parse(v.string(), body['QueueUrl']));
  if (!queue) return;
  const isSent = (message: { messageId: string }) => message.messageId === messageId;
  const message = queue.messages.findLast(isSent) ?? queue.delayedMessages.findLast(isSent);
  if (message) message.messageGroupId = group;
}

function queueUrl(body: JsonObject, store: SqsStore): unknown {
  const queue = store.getQueueByName(v.parse(v.string(), body['QueueName']));
  if (!queue) throw new SqsError('QueueDoesNotExist', 'The specified queue does not exist.');
  return { QueueUrl: queue.url };
}

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

const RedriveSchema = v.object({ deadLetterTargetArn: v.string() });

function deadLetterQueue(queue: SqsQueue, store: SqsStore): SqsQueue | undefined {
  const policy = queue.attributes['RedrivePolicy'];
  if (policy === undefined) return undefined;
  const json: unknown = JSON.parse(policy);
  return store.getQueueByArn(v.parse(RedriveSchema, json).deadLetterTargetArn);
}
