import { Duration, Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { SIZES, type ServiceFunction } from './functions.ts';

export interface WorkQueueProps {
  /** Name of the queue without the stack's prefix. */
  name: string;
  /** Timeout of the consuming function, in seconds. */
  worker_timeout_s: number;
  /** Dead-letter queue. Default: a queue of its own. */
  deadLetters?: Queue;
}

/** Number of receives after which SQS moves a message to the dead-letter queue. */
const MAX_RECEIVES = 5;

/** Visibility timeout in timeouts of the consumer, as AWS recommends for event source mappings. */
const VISIBILITY_IN_TIMEOUTS = 6;

const visibility = (timeout_s: number) => Duration.seconds(timeout_s * VISIBILITY_IN_TIMEOUTS);

const SAFE = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };

/** Creates a dead-letter queue, for one work queue or for several that share a consumer. */
export function deadLetterQueue(scope: Construct, name: string): Queue {
  return new Queue(scope, 'DeadLetters', {
    ...SAFE,
    queueName: `${Stack.of(scope).stackName}-${name}-dead-letters`,
    visibilityTimeout: visibility(SIZES['dead-letters'].timeout_s),
    retentionPeriod: Duration.days(14),
  });
}

/** A standard SQS queue with a dead-letter queue. Messages only name an item of the table, so order does not matter. */
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

  /** Lets the function send messages, and sets the queue's URL as this environment variable. */
  grantSend(to: ServiceFunction, variable: string): void {
    to.addEnvironment(variable, this.queue.queueUrl).allow(['sqs:SendMessage'], this.queue.queueArn);
  }
}

export interface ConsumerProps {
  batchSize: number;
  /** Maximum number of concurrent invocations, at least 2. Default: the account's limit. */
  maxConcurrency?: number;
}

/** Makes the function consume the queue. It reports the failed messages of a batch. */
export function consume(queue: Queue, consumer: ServiceFunction, props: ConsumerProps): void {
  consumer.lambda.addEventSource(new SqsEventSource(queue, { ...props, reportBatchItemFailures: true }));
}
