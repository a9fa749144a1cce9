import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ENV, publishQueueVariable } from '../shared/aws/env.ts';
import { PLATFORM_IDS, type PlatformId } from '../shared/model/platform.ts';
import { RULES } from '../shared/platforms/registry.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import { sharpLayer } from './layers.ts';
import type { MediaBucket } from './media-bucket.ts';
import { Schedules } from './schedules.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceTable } from './table.ts';
import { deadLetterQueue, workOff, WorkQueue } from './work-queue.ts';

export interface PublishingProps {
  table: ServiceTable;
  secrets: Secrets;
  events: WorkQueue;
  media: MediaBucket;
  /** Base of the API with its version, for links in events. */
  publicUrl: string;
}

/** A platform's queue of notes for its publisher. */
interface Lane {
  platform: PlatformId;
  notes: WorkQueue;
}

/** From a post's time to its place on the platform: the clock, and a lane a platform. */
export class Publishing extends Construct {
  readonly dispatch: WorkQueue;
  readonly schedules: Schedules;
  readonly lanes: readonly Lane[];
  /**
   * The dead letters of all lanes: a note names its platform, and each queue that has a reader is polled around the
   * clock, at a cost.
   */
  private readonly deadLetters: Queue;
  /** The reader of the dead letters. */
  readonly deadLetterReader: ServiceFunction;

  constructor(scope: Construct, id: string, props: PublishingProps) {
    super(scope, id);
    this.dispatch = new WorkQueue(this, 'Dispatch', {
      name: 'dispatch',
      worker_timeout_s: SIZES.dispatcher.timeout_s,
    });
    const queues = { dispatch: this.dispatch.queue, events: props.events.queue };
    this.schedules = new Schedules(this, 'Schedules', queues);
    this.deadLetters = deadLetterQueue(new Construct(this, 'Publish'), 'publish');
    this.lanes = PLATFORM_IDS.map(platform => ({ platform, notes: this.addLane(platform) }));
    this.addDispatcher(props);
    for (const lane of this.lanes) this.addPublisher(lane, props);
    this.deadLetterReader = this.addDeadLetterReader(props);
  }

  /** Lets the function hand a post to its publishers. */
  openLanes(to: ServiceFunction): void {
    for (const { platform, notes } of this.lanes) notes.openForSending(to, publishQueueVariable(platform));
  }

  private addLane(platform: PlatformId): WorkQueue {
    const { timeout_s } = RULES[platform].worker;
    return new WorkQueue(this, `Publish-${platform}`, {
      name: `publish-${platform}`,
      worker_timeout_s: timeout_s,
      deadLetters: this.deadLetters,
    });
  }

  private addDispatcher({ table }: PublishingProps): void {
    const dispatcher = new ServiceFunction(this, 'Dispatcher', { bundle: 'dispatcher', ...SIZES.dispatcher });
    table.open(dispatcher, 'GetItem', 'UpdateItem');
    this.openLanes(dispatcher);
    // A look that finds a long wait without an alarm sets it.
    this.schedules.open(dispatcher, 'CreateSchedule');
    workOff(this.dispatch.queue, dispatcher, { batchSize: 1 });
  }

  private addPublisher(
    { platform, notes }: Lane,
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
    });
    table.open(publisher, 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem');
    media.open(publisher, 'GetObject', 'PutObject', 'ListBucket');
    secrets.openKeyRing(publisher);
    secrets.openPlatformApps(publisher, [platform]);
    notes.openForSending(publisher, publishQueueVariable(platform));
    this.schedules.open(publisher, 'CreateSchedule');
    events.openForSending(publisher, ENV.eventsQueueUrl);
    workOff(notes.queue, publisher, { batchSize: 1, maxConcurrency: max_concurrency });
  }

  /** Dead letters of the dispatch queue are not read: the sweeper finds their posts, an alarm tells the operator. */
  private addDeadLetterReader({ table, events, publicUrl }: PublishingProps): ServiceFunction {
    const reader = new ServiceFunction(this, 'DeadLetters', {
      bundle: 'dead-letters',
      ...SIZES['dead-letters'],
      environment: { [ENV.publicUrl]: publicUrl },
    });
    table.open(reader, 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem');
    events.openForSending(reader, ENV.eventsQueueUrl);
    workOff(this.deadLetters, reader, { batchSize: 1 });
    return reader;
  }
}
