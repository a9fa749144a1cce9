import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ENV, publishQueueVariable } from '../shared/aws/env.ts';
import { CAPACITY } from '../shared/delivery/load.ts';
import { PLATFORM_IDS, type PlatformId } from '../shared/model/platform.ts';
import { RULES } from '../shared/platforms/registry.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import { sharpLayer } from './layers.ts';
import type { MediaBucket } from './media-bucket.ts';
import { Schedules } from './schedules.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceTable } from './table.ts';
import { deadLetterQueue, consume, WorkQueue } from './work-queue.ts';

export interface PublishingProps {
  table: ServiceTable;
  secrets: Secrets;
  events: WorkQueue;
  broadcasts: WorkQueue;
  media: MediaBucket;
  /** Base URL of the API with its version, for links in events. */
  publicUrl: string;
}

interface PublishQueue {
  platform: PlatformId;
  queue: WorkQueue;
}

/** Schedules, the dispatcher, and a queue with a publisher function for each platform. */
export class Publishing extends Construct {
  readonly dispatch: WorkQueue;
  readonly schedules: Schedules;
  readonly publishQueues: readonly PublishQueue[];
  /**
   * One dead-letter queue for all publish queues: a message names its platform, and every queue with a consumer is
   * polled around the clock, at a cost.
   */
  private readonly deadLetters: Queue;
  /** The consumer of the dead-letter queue. */
  readonly deadLetterReader: ServiceFunction;

  constructor(scope: Construct, id: string, props: PublishingProps) {
    super(scope, id);
    this.dispatch = new WorkQueue(this, 'Dispatch', {
      name: 'dispatch',
      worker_timeout_s: SIZES.dispatcher.timeout_s,
    });
    const { events, broadcasts } = props;
    const queues = { dispatch: this.dispatch.queue, events: events.queue, broadcasts: broadcasts.queue };
    this.schedules = new Schedules(this, 'Schedules', queues);
    this.deadLetters = deadLetterQueue(new Construct(this, 'Publish'), 'publish');
    this.publishQueues = PLATFORM_IDS.map(platform => ({ platform, queue: this.addQueue(platform) }));
    this.addDispatcher(props);
    for (const each of this.publishQueues) this.addPublisher(each, props);
    this.deadLetterReader = this.addDeadLetterReader(props);
  }

  /** Lets the function send messages to every publish queue. */
  grantSendToPublishers(to: ServiceFunction): void {
    for (const { platform, queue } of this.publishQueues) queue.grantSend(to, publishQueueVariable(platform));
  }

  private addQueue(platform: PlatformId): WorkQueue {
    const { timeout_s } = RULES[platform].worker;
    return new WorkQueue(this, `Publish-${platform}`, {
      name: `publish-${platform}`,
      worker_timeout_s: timeout_s,
      deadLetters: this.deadLetters,
    });
  }

  private addDispatcher({ table }: PublishingProps): void {
    const dispatcher = new ServiceFunction(this, 'Dispatcher', { bundle: 'dispatcher', ...SIZES.dispatcher });
    table.grant(dispatcher, 'GetItem', 'UpdateItem');
    this.grantSendToPublishers(dispatcher);
    // A dispatch that finds a long wait without a schedule creates it.
    this.schedules.grant(dispatcher, 'CreateSchedule');
    consume(this.dispatch.queue, dispatcher, { batchSize: 10 });
  }

  private addPublisher(
    { platform, queue }: PublishQueue,
    { table, secrets, events, media, publicUrl }: PublishingProps,
  ): void {
    const { timeout_s, memory_mb, max_concurrency } = RULES[platform].worker;
    const publisher = new ServiceFunction(this, `Publisher-${platform}`, {
      bundle: 'publisher',
      name: `publisher-${platform}`,
      timeout_s,
      memory_mb,
      environment: { [ENV.platform]: platform, [ENV.publicUrl]: publicUrl },
      layers: [sharpLayer(this)],
      recursive: true,
    });
    table.grant(publisher, 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem');
    media.grant(
      publisher,
      'GetObject',
      'PutObject',
      'ListBucket',
      'ListMultipartUploadParts',
      'AbortMultipartUpload',
    );
    secrets.grantReadKeyRing(publisher);
    secrets.grantReadPlatformApps(publisher, [platform]);
    queue.grantSend(publisher, publishQueueVariable(platform));
    this.schedules.grant(publisher, 'CreateSchedule');
    events.grantSend(publisher, ENV.eventsQueueUrl);
    // Deliveries of texts run side by side; what does not fit into one environment is sent back.
    consume(queue.queue, publisher, { batchSize: CAPACITY, maxConcurrency: max_concurrency });
  }

  /** Dead letters of the dispatch queue have no consumer: the sweeper dispatches their posts, an alarm notifies the operator. */
  private addDeadLetterReader({ table, events, publicUrl }: PublishingProps): ServiceFunction {
    const reader = new ServiceFunction(this, 'DeadLetters', {
      bundle: 'dead-letters',
      ...SIZES['dead-letters'],
      environment: { [ENV.publicUrl]: publicUrl },
    });
    table.grant(reader, 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem');
    events.grantSend(reader, ENV.eventsQueueUrl);
    consume(this.deadLetters, reader, { batchSize: 1 });
    return reader;
  }
}
