import { Duration, Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { SIZES, type ServiceFunction } from './functions.ts';

export interface WorkQueueProps {
  /** Name of the queue below the stack's. */
  name: string;
  /** Time-out of the function that works it off. */
  worker_timeout_s: number;
  /** Where notes go that failed too often. Default: a queue of its own. */
  deadLetters?: Queue;
}

/** A message that failed so often goes to the dead letters. */
const MAX_RECEIVES = 5;

/** How long a message is hidden, in time-outs of its worker: what the event source mapping needs for its own retries. */
const VISIBILITY_IN_TIMEOUTS = 6;

const visibility = (timeout_s: number) => Duration.seconds(timeout_s * VISIBILITY_IN_TIMEOUTS);

const SAFE = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };

/** A queue of dead letters, of one queue of notes or of several that share a reader. */
export function deadLetterQueue(scope: Construct, name: string): Queue {
  return new Queue(scope, 'DeadLetters', {
    ...SAFE,
    queueName: `${Stack.of(scope).stackName}-${name}-dead-letters`,
    visibilityTimeout: visibility(SIZES['dead-letters'].timeout_s),
    retentionPeriod: Duration.days(14),
  });
}

/** A queue of to-do notes with its dead letters. Ordering is nobody's promise: the notes only point at the table. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { name, worker_timeout_s, deadLetters }: WorkQueueProps) {
    super(scope, id);
    this.deadLetters = deadLetters ?? deadLetterQueue(this, name);
    this.queue = new Queue(this, 'Queue', {
      ...SAFE,
      queueName: `${Stack.of(this).stackName}-${name}`,
      visibilityTimeout: visibility(worker_timeout_s),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVES },
    });
  }

  /** Tells the function the queue under this variable, and lets it put notes on it. */
  openForSending(to: ServiceFunction, variable: string): void {
    to.set(variable, this.queue.queueUrl).allow(['sqs:SendMessage'], this.queue.queueArn);
  }
}

export interface Worker {
  batchSize: number;
  /** Most invocations at a time, 2 or more; unset: the account's limit. */
  maxConcurrency?: number;
}

/** Has the function work off the queue. It names the messages of a batch that failed. */
export function workOff(queue: Queue, worker: ServiceFunction, props: Worker): void {
  worker.lambda.addEventSource(new SqsEventSource(queue, { ...props, reportBatchItemFailures: true }));
}
