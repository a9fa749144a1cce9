// SendMessage and SendMessageBatch. The emulator's own refuse characters outside the Basic Multilingual Plane, which the
// service accepts, and support neither fair queues nor trace headers.
import * as v from 'valibot';
import { SqsError } from '../../node_modules/fauxqs/dist/common/errors.js';
import { SqsStore, type SqsQueue } from '../../node_modules/fauxqs/dist/sqs/sqsStore.js';
import { calculateMessageSize, type SqsMessage } from '../../node_modules/fauxqs/dist/sqs/sqsTypes.js';
import type { JsonObject } from '../../shared/model/json.ts';

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
const MAX_DELAY_S = 900;
const MAX_BYTES = 1_048_576;
const MAX_ENTRIES = 10;
const MAX_ATTRIBUTES = 10;
const ENTRY_ID = /^[\w-]{1,80}$/;
const GROUP_ID = /^[\x21-\x7e]{1,128}$/;
const INVALID_CHARACTER = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

const AttributeSchema = v.object({
  DataType: v.string(),
  StringValue: v.exactOptional(v.string()),
  BinaryValue: v.exactOptional(v.string()),
});

const MessageSchema = v.object({
  MessageBody: v.optional(v.string(), ''),
  DelaySeconds: v.optional(v.number()),
  MessageGroupId: v.optional(v.string()),
  MessageAttributes: v.optional(v.record(v.string(), AttributeSchema), {}),
});
type Message = v.InferOutput<typeof MessageSchema>;

const BatchSchema = v.object({
  Entries: v.optional(v.array(v.object({ ...MessageSchema.entries, Id: v.string() })), []),
});

const traceHeaders = new WeakMap<SqsMessage, string>();

/** Tracing header (`AWSTraceHeader`) of a message; undefined if it was sent without one or before a restart. */
export const traceHeaderOf = (message: SqsMessage) => traceHeaders.get(message);

const origins = new WeakMap<SqsMessage, SqsQueue>();

/** Queue that a message was sent to; undefined if it was sent before a restart. A dead letter lies in another one. */
export const originOf = (message: SqsMessage) => origins.get(message);

/** Sends one message. Throws SqsError. */
export function sendMessage(queue: SqsQueue, body: JsonObject, traceHeader: string | null): unknown {
  const sent = send(queue, v.parse(MessageSchema, body), traceHeader);
  return { MessageId: sent.messageId, ...checksums(sent) };
}

/** Sends up to ten messages. Invalid entries fail on their own; the others are sent. Throws SqsError. */
export function sendMessageBatch(queue: SqsQueue, body: JsonObject, traceHeader: string | null): unknown {
  const entries = v.parse(BatchSchema, body).Entries;
  checkBatch(entries);
  const successful: unknown[] = [];
  const failed: unknown[] = [];
  for (const { Id, ...message } of entries) {
    try {
      const sent = send(queue, message, traceHeader);
      successful.push({ Id, MessageId: sent.messageId, ...checksums(sent) });
    } catch (error) {
      if (!(error instanceof SqsError)) throw error;
      failed.push({ Id, SenderFault: true, Code: error.code, Message: error.message });
    }
  }
  return { Successful: successful, Failed: failed };
}

function checkBatch(entries: readonly (Message & { Id: string })[]): void {
  if (entries.length === 0) {
    throw new SqsError(
      'EmptyBatchRequest',
      'There should be at least one SendMessageBatchRequestEntry in the request.',
    );
  }
  if (entries.length > MAX_ENTRIES) {
    throw new SqsError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${MAX_ENTRIES}. You have sent ${entries.length}.`,
    );
  }
  if (entries.some(({ Id }) => !ENTRY_ID.test(Id))) {
    throw new SqsError(
      'InvalidBatchEntryId',
      'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
    );
  }
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) {
    throw new SqsError(
      'BatchEntryIdsNotDistinct',
      'Two or more batch entries in the request have the same Id.',
    );
  }
  const bytes = entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
  if (bytes > MAX_BYTES) {
    throw new SqsError(
      'BatchRequestTooLong',
      `Batch requests cannot be longer than ${MAX_BYTES} bytes. You have sent ${bytes} bytes.`,
    );
  }
}

function send(queue: SqsQueue, message: Message, traceHeader: string | null): SqsMessage {
  const { MessageBody, MessageAttributes, MessageGroupId } = message;
  checkMessage(queue, message);
  const delay = message.DelaySeconds ?? Number(queue.attributes['DelaySeconds'] ?? 0);
  const stored = SqsStore.createMessage(
    MessageBody,
    MessageAttributes,
    delay > 0 ? delay : undefined,
    MessageGroupId,
  );
  if (traceHeader !== null) traceHeaders.set(stored, traceHeader);
  origins.set(stored, queue);
  queue.enqueue(stored);
  return stored;
}

function checkMessage(queue: SqsQueue, message: Message): void {
  const { MessageBody, MessageAttributes, MessageGroupId, DelaySeconds: delay = 0 } = message;
  if (MessageBody === '') {
    throw new SqsError('MissingParameter', 'The request must contain the parameter MessageBody.');
  }
  const invalid = INVALID_CHARACTER.exec(MessageBody)?.[0];
  if (invalid !== undefined) {
    throw new SqsError(
      'InvalidMessageContents',
      `Invalid binary character '#x${(invalid.codePointAt(0) ?? 0).toString(16).toUpperCase()}' was found in the message body, ` +
        'the set of allowed characters is #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF',
    );
  }
  const limit = Number(queue.attributes['MaximumMessageSize'] ?? MAX_BYTES);
  if (sizeOf(message) > limit) {
    throw invalidParameter(
      `One or more parameters are invalid. Reason: Message must be shorter than ${limit} bytes.`,
    );
  }
  if (Object.keys(MessageAttributes).length > MAX_ATTRIBUTES) {
    throw invalidParameter(
      `Number of message attributes [${Object.keys(MessageAttributes).length}] exceeds the allowed maximum [${MAX_ATTRIBUTES}].`,
    );
  }
  if (MessageGroupId !== undefined && !GROUP_ID.test(MessageGroupId)) {
    throw invalidParameter(
      `Value ${MessageGroupId} for parameter MessageGroupId is invalid. Reason: MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length.`,
    );
  }
  if (!Number.isInteger(delay) || delay < 0 || delay > MAX_DELAY_S) {
    throw invalidParameter(
      `Value ${delay} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= ${MAX_DELAY_S}.`,
    );
  }
}

const sizeOf = ({ MessageBody, MessageAttributes }: Message) =>
  calculateMessageSize(MessageBody, MessageAttributes);

const invalidParameter = (message: string) => new SqsError('InvalidParameterValue', message);

const checksums = ({ md5OfBody, md5OfMessageAttributes }: SqsMessage) => ({
  MD5OfMessageBody: md5OfBody,
  ...(md5OfMessageAttributes && { MD5OfMessageAttributes: md5OfMessageAttributes }),
});
