import { Stack } from 'aws-cdk-lib';
import type { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ENV, publishMappingVariable, publishQueueVariable } from '../shared/aws/env.ts';
import { CAPACITY } from '../shared/delivery/load.ts';
import { PLATFORM_IDS, type PlatformId } from '../shared/model/platform.ts';
import { BASICS } from '../shared/platforms/registry/basics.ts';
import { DERIVED, PUBLIC } from '../shared/store/objects.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import { sharpLayer } from './layers.ts';
import type { MediaBucket } from './media-bucket.ts';
import { Schedules } from './schedules.ts';
import { capOf } from './concurrency.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceTable } from './table.ts';
import { WorkQueue, type DeadLetters } from './work-queue.ts';

export interface PublishingProps {
  table: ServiceTable;
  secrets: Secrets;
  events: WorkQueue;
  broadcasts: WorkQueue;
  media: MediaBucket;
  deadLetters: DeadLetters;
  /** Platforms of this deployment. */
  platforms: readonly PlatformId[];
  /** Maximum concurrency of the consumer of each queue. */
  concurrency: ReadonlyMap<string, number>;
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
  private readonly queues: readonly PublishQueue[];
  private readonly mappings: readonly { platform: PlatformId; mapping: EventSourceMapping }[];

  constructor(scope: Construct, id: string, props: PublishingProps) {
    super(scope, id);
    const { deadLetters } = props;
    this.dispatch = new WorkQueue(this, 'Dispatch', {
      name: 'dispatch',
      worker_timeout_s: SIZES.dispatcher.timeout_s,
      deadLetters,
    });
    this.schedules = new Schedules(this, 'Schedules', {
      dispatch: this.dispatch.queue,
      events: props.events.queue,
      broadcasts: props.broadcasts.queue,
    });
    this.queues = props.platforms.map(platform => ({
      platform,
      queue: new WorkQueue(this, `Publish-${platform}`, {
        name: `publish-${platform}`,
        worker_timeout_s: BASICS[platform].worker.timeout_s,
        deadLetters,
      }),
    }));
    this.addDispatcher(props);
    this.mappings = this.queues.map(each => ({
      platform: each.platform,
      mapping: this.addPublisher(each, props),
    }));
  }

  /** Lets the function send messages to every publish queue. */
  grantSendToPublishers(to: ServiceFunction): void {
    for (const { platform, queue } of this.queues) queue.grantSend(to, publishQueueVariable(platform));
  }

  /** Lets the function turn on the polling of publish queues. */
  grantOpen(to: ServiceFunction): void {
    this.grantMappings(to, 'lambda:UpdateEventSourceMapping');
  }

  /** Lets the function see which publish queues are polled, and turn them on. */
  grantReopen(to: ServiceFunction): void {
    this.grantMappings(to, 'lambda:GetEventSourceMapping', 'lambda:UpdateEventSourceMapping');
  }

  /** Tells the function which platforms the deployment leaves out. */
  nameDisabled(to: ServiceFunction): void {
    const enabled = new Set(this.queues.map(({ platform }) => platform));
    const disabled = PLATFORM_IDS.filter(platform => !enabled.has(platform));
    to.addEnvironment(ENV.disabledPlatforms, disabled.length === 0 ? 'none' : disabled.join(','));
  }

  private grantMappings(to: ServiceFunction, ...actions: string[]): void {
    for (const { platform, mapping } of this.mappings) {
      to.addEnvironment(publishMappingVariable(platform), mapping.eventSourceMappingId);
    }
    to.allow(actions, ...this.mappings.map(({ mapping }) => this.arnOf(mapping)));
  }

  private arnOf({ eventSourceMappingId }: EventSourceMapping): string {
    const { partition, region, account } = Stack.of(this);
    return `arn:${partition}:lambda:${region}:${account}:event-source-mapping:${eventSourceMappingId}`;
  }

  private addDispatcher({ table, events, concurrency, publicUrl }: PublishingProps): void {
    const dispatcher = new ServiceFunction(this, 'Dispatcher', {
      bundle: 'dispatcher',
      ...SIZES.dispatcher,
      environment: { [ENV.publicUrl]: publicUrl },
    });
    // A post of a platform that the deployment no longer has fails, with its events.
    table.grant(dispatcher, 'GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem');
    events.grantSend(dispatcher, ENV.eventsQueueUrl);
    this.nameDisabled(dispatcher);
    this.grantSendToPublishers(dispatcher);
    // A dispatch that finds a long wait without a schedule creates it.
    this.schedules.grant(dispatcher, 'CreateSchedule');
    this.dispatch.consume(dispatcher, { batchSize: 10, maxConcurrency: capOf(concurrency, 'dispatch') });
  }

  private addPublisher(
    { platform, queue }: PublishQueue,
    { table, secrets, events, media, concurrency, publicUrl }: PublishingProps,
  ): EventSourceMapping {
    const { timeout_s, memory_mb } = BASICS[platform].worker;
    const publisher = new ServiceFunction(this, `Publisher-${platform}`, {
      bundle: 'publisher',
      name: `publisher-${platform}`,
      timeout_s,
      memory_mb,
      environment: { [ENV.platform]: platform, [ENV.publicUrl]: publicUrl },
      layers: [sharpLayer(this)],
      recursive: true,
    });
    table.grant(publisher, 'GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem');
    // Uploads and copies are the importer's: a publisher writes images that it converted.
    media.grantBelow(PUBLIC, publisher, 'GetObject', 'ListBucket');
    media.grantBelow(DERIVED, publisher, 'PutObject', 'ListMultipartUploadParts', 'AbortMultipartUpload');
    secrets.grantReadFirst(publisher, platform);
    queue.grantSend(publisher, publishQueueVariable(platform));
    this.schedules.grant(publisher, 'CreateSchedule');
    events.grantSend(publisher, ENV.eventsQueueUrl);
    // Polling an empty queue costs 0.26 dollars a month: the first connection of the platform turns it on. Deliveries of texts run
    // side by side; what does not fit into one environment is sent back.
    const maxConcurrency = capOf(concurrency, platform);
    return queue.consume(publisher, { batchSize: CAPACITY, maxConcurrency, enabled: false });
  }
}
