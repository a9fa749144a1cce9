import { Construct } from 'constructs';
import { ENV, publishQueueVariable } from '../shared/aws/env.ts';
import { PLATFORM_IDS, type PlatformId } from '../shared/model/platform.ts';
import type { PlatformRules } from '../shared/platforms/rules.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import { sharpLayer } from './layers.ts';
import { Schedules } from './schedules.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceTable } from './table.ts';
import { workOff, WorkQueue } from './work-queue.ts';

export interface PublishingProps {
  table: ServiceTable;
  secrets: Secrets;
  events: WorkQueue;
  /** Base of the API with its version, for links in events. */
  publicUrl: string;
}

type Lanes = Readonly<Record<PlatformId, WorkQueue>>;

const WORKERS: Record<PlatformId, PlatformRules['worker']> = {
  x: { timeout_s: 60, memory_mb: 512, max_concurrency: 10, images: false },
  bluesky: { timeout_s: 60, memory_mb: 1024, max_concurrency: 10, images: true },
  telegram: { timeout_s: 60, memory_mb: 512, max_concurrency: 10, images: false },
};

/** From a post's time to its place on the platform: the clock, and a lane a platform. */
export class Publishing extends Construct {
  readonly dispatch: WorkQueue;
  readonly schedules: Schedules;
  readonly lanes: Lanes;

  constructor(scope: Construct, id: string, props: PublishingProps) {
    super(scope, id);
    this.dispatch = new WorkQueue(this, 'Dispatch', {
      name: 'dispatch',
      worker_timeout_s: SIZES.dispatcher.timeout_s,
    });
    this.schedules = new Schedules(this, 'Schedules', this.dispatch.queue);
    this.lanes = lanes(platform => {
      const queue = { name: `publish-${platform}`, worker_timeout_s: WORKERS[platform].timeout_s };
      return new WorkQueue(this, `Publish-${platform}`, queue);
    });
    this.addDispatcher(props);
    for (const platform of PLATFORM_IDS) this.addPublisher(platform, props);
    this.addDeadLetters(props);
  }

  /** Lets the function put a post on its way, now or later. */
  openForPosts(to: ServiceFunction): void {
    for (const platform of PLATFORM_IDS) {
      this.lanes[platform].openForSending(to, publishQueueVariable(platform));
    }
    this.dispatch.openForSending(to, ENV.dispatchQueueUrl);
  }

  private addDispatcher({ table }: PublishingProps): void {
    const dispatcher = new ServiceFunction(this, 'Dispatcher', { bundle: 'dispatcher', ...SIZES.dispatcher });
    table.open(dispatcher, 'GetItem', 'UpdateItem');
    this.openForPosts(dispatcher);
    workOff(this.dispatch.queue, dispatcher, { batchSize: 1 });
  }

  private addPublisher(platform: PlatformId, { table, secrets, events, publicUrl }: PublishingProps): void {
    const { timeout_s, memory_mb, max_concurrency, images } = WORKERS[platform];
    const publisher = new ServiceFunction(this, `Publisher-${platform}`, {
      bundle: 'publisher',
      name: `publisher-${platform}`,
      timeout_s,
      memory_mb,
      environment: { [ENV.platform]: platform, [ENV.publicUrl]: publicUrl },
      layers: images ? [sharpLayer(this)] : [],
    });
    table.open(publisher, 'GetItem', 'Query', 'UpdateItem', 'PutItem', 'DeleteItem');
    secrets.openKeyRing(publisher);
    secrets.openPlatformApps(publisher, [platform]);
    this.lanes[platform].openForSending(publisher, publishQueueVariable(platform));
    events.openForSending(publisher, ENV.eventsQueueUrl);
    this.dispatch.openForSending(publisher, ENV.dispatchQueueUrl);
    this.schedules.open(publisher, 'CreateSchedule');
    workOff(this.lanes[platform].queue, publisher, { batchSize: 1, maxConcurrency: max_concurrency });
  }

  private addDeadLetters({ table, events }: PublishingProps): void {
    const undertaker = new ServiceFunction(this, 'DeadLetters', {
      bundle: 'dead-letters',
      ...SIZES['dead-letters'],
    });
    table.open(undertaker, 'GetItem', 'UpdateItem');
    events.openForSending(undertaker, ENV.eventsQueueUrl);
    for (const { deadLetters } of [this.dispatch, ...Object.values(this.lanes)]) {
      workOff(deadLetters, undertaker, { batchSize: 1 });
    }
  }
}

/** One lane a platform. */
function lanes(make: (platform: PlatformId) => WorkQueue): Lanes {
  return { x: make('x'), bluesky: make('bluesky'), telegram: make('telegram') };
}
