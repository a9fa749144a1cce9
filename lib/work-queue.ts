import { Duration } from 'aws-cdk-lib';
import type { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ServiceFunction } from './functions.ts';
import { named } from './names.ts';

export interface WorkQueueProps {
  /** Name of the queue without the stack's prefix. */
  name: string;
  /** Timeout of the consuming function, in seconds. */
  worker_timeout_s: number;
  deadLetters: DeadLetters;
}

/** Number of receives after which SQS moves a message to the dead-letter queue. */
const MAX_RECEIVES = 5;

/** Visibility timeout in timeouts of the consumer, as AWS recommends for event source mappings. */
const VISIBILITY_IN_TIMEOUTS = 6;

const SAFE = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };

/**
 * One dead-letter queue for all queues and asynchronous invocations: the sweeper reads it, and a queue of its own for each would
 * cost a read a minute. SQS remembers from which queue a message came, so that operators can return it.
 */
export class DeadLetters extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.queue = new Queue(this, 'Queue', {
      ...SAFE,
      // Longer than a sweep, which releases what it leaves in the queue.
      visibilityTimeout: Duration.minutes(15),
      retentionPeriod: Duration.days(14),
    });
    named(this.queue, 'dead-letters');
  }

  /** Lets the function read, release and delete dead letters. */
  grantRead(to: ServiceFunction, variable: string): void {
    to.addEnvironment(variable, this.queue.queueUrl).allow(
      ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'],
      this.queue.queueArn,
    );
  }
}

/** A standard SQS queue with a dead-letter queue. Messages only name an item of the table, so order does not matter. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  /** Name within the stack, without the stack's prefix. */
  readonly name: string;

  constructor(scope: Construct, id: string, { name, worker_timeout_s, deadLetters }: WorkQueueProps) {
    super(scope, id);
    this.name = name;
    this.queue = new Queue(this, 'Queue', {
      ...SAFE,
      visibilityTimeout: Duration.seconds(worker_timeout_s * VISIBILITY_IN_TIMEOUTS),
      deadLetterQueue: { queue: deadLetters.queue, maxReceiveCount: MAX_RECEIVES },
    });
    named(this.queue, name);
  }

  /** Lets the function send messages, and sets the queue's URL as this environment variable. */
  grantSend(to: ServiceFunction, variable: string): void {
    to.addEnvironment(variable, this.queue.queueUrl).allow(['sqs:SendMessage'], this.queue.queueArn);
  }

  /** Makes the function consume the queue. It reports the failed messages of a batch. */
  consume(consumer: ServiceFunction, props: ConsumerProps): EventSourceMapping {
    this.queue.grantConsumeMessages(consumer.lambda);
    return consumer.lambda.addEventSourceMapping('Source', {
      ...props,
      eventSourceArn: this.queue.queueArn,
      reportBatchItemFailures: true,
    });
  }
}

export interface ConsumerProps {
  batchSize: number;
  /** Maximum number of concurrent invocations, at least 2. Default: the account's limit. */
  maxConcurrency?: number;
  /** Whether Lambda polls the queue. Default: true. */
  enabled?: boolean;
}
