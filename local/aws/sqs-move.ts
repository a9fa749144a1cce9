// StartMessageMoveTask and ListMessageMoveTasks, which the emulator does not have.
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { SqsError } from '../../node_modules/fauxqs/dist/common/errors.js';
import { SqsStore, type SqsQueue } from '../../node_modules/fauxqs/dist/sqs/sqsStore.js';
import type { SqsMessage } from '../../node_modules/fauxqs/dist/sqs/sqsTypes.js';
import type { JsonObject } from '../../shared/model/json.ts';
import { originOf } from './sqs-send.ts';

const SourceSchema = v.object({ SourceArn: v.string() });
const RedriveSchema = v.object({ deadLetterTargetArn: v.string() });

interface Task {
  TaskHandle: string;
  Status: 'COMPLETED' | 'FAILED';
  SourceArn: string;
  ApproximateNumberOfMessagesMoved: number;
  ApproximateNumberOfMessagesToMove: number;
  FailureReason?: string;
  StartedTimestamp: number;
}

/** Tasks of a queue, newest first. */
const tasks = new WeakMap<SqsQueue, Task[]>();

/**
 * Returns the visible messages of a dead-letter queue to the queues that they came from, at once. As in SQS, the task fails
 * at a message that was sent to the dead-letter queue itself, and messages in flight stay.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export function startMessageMoveTask(body: JsonObject, store: SqsStore): unknown {
  const { SourceArn } = v.parse(SourceSchema, body);
  const source = deadLetterQueueWith(SourceArn, store);
  const messages = [...source.inspectMessages().ready];
  let moved = 0;
  for (const message of messages) {
    const origin = originOf(message);
    if (!origin || origin === source) break;
    moveTo(origin, source, message);
    moved += 1;
  }
  const isDone = moved === messages.length;
  const task: Task = {
    TaskHandle: randomUUID(),
    Status: isDone ? 'COMPLETED' : 'FAILED',
    SourceArn,
    ApproximateNumberOfMessagesMoved: moved,
    ApproximateNumberOfMessagesToMove: messages.length,
    ...(!isDone && { FailureReason: 'CouldNotDetermineMessageSource' }),
    StartedTimestamp: Date.now(),
  };
  tasks.set(source, [task, ...(tasks.get(source) ?? [])].slice(0, 10));
  return { TaskHandle: task.TaskHandle };
}

export function listMessageMoveTasks(body: JsonObject, store: SqsStore): unknown {
  const source = deadLetterQueueWith(v.parse(SourceSchema, body).SourceArn, store);
  return { Results: tasks.get(source) ?? [] };
}

function moveTo(origin: SqsQueue, source: SqsQueue, message: SqsMessage): void {
  source.messages.splice(source.messages.indexOf(message), 1);
  source.persistence?.deleteMessage(message.messageId);
  // A new message: its receives count from zero.
  const { body, messageAttributes, messageGroupId } = message;
  origin.enqueue(SqsStore.createMessage(body, messageAttributes, undefined, messageGroupId));
}

/** Throws SqsError unless the queue is another queue's dead-letter queue. */
function deadLetterQueueWith(queueArn: string, store: SqsStore): SqsQueue {
  const queue = store.getQueueByArn(queueArn);
  if (!queue) {
    throw new SqsError(
      'ResourceNotFoundException',
      "The resource that you specified for the SourceArn parameter doesn't exist.",
    );
  }
  const isTarget = [...store.allQueues()].some(({ attributes }) => targetOf(attributes) === queueArn);
  if (isTarget) return queue;
  throw new SqsError('InvalidParameterValue', 'Source queue must be configured as a Dead Letter Queue.');
}

/** Returns the ARN of a queue's dead-letter queue. */
export function targetOf(attributes: Record<string, string>): string | null {
  const policy = attributes['RedrivePolicy'];
  if (policy === undefined) return null;
  const json: unknown = JSON.parse(policy);
  return v.parse(RedriveSchema, json).deadLetterTargetArn;
}
