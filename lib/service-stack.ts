import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { providerOf } from './ai.ts';
import { Api } from './api.ts';
import { Broadcasts } from './broadcasts.ts';
import { SIZES } from './functions.ts';
import { Gateway } from './gateway.ts';
import { Housekeeping } from './housekeeping.ts';
import { MediaBucket } from './media-bucket.ts';
import { Insights } from './insights.ts';
import { Live } from './live.ts';
import { Observability } from './observability.ts';
import { Publishing } from './publishing.ts';
import { Secrets } from './secrets.ts';
import type { Settings } from './settings.ts';
import { Sweeper } from './sweeper.ts';
import { ServiceTable } from './table.ts';
import { Uploads } from './uploads.ts';
import { Webhooks } from './webhooks.ts';
import { WorkQueue } from './work-queue.ts';

export interface ServiceStackProps extends StackProps {
  settings: Settings;
}

/** The whole service. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { settings, ...props }: ServiceStackProps) {
    super(scope, id, props);
    const table = new ServiceTable(this, 'Data');
    const secrets = new Secrets(this, 'Secrets');
    const media = new MediaBucket(this, 'Media');
    const gateway = new Gateway(this, 'Gateway', settings);
    const publicUrl = settings.publicUrl ?? gateway.url;

    const webhooks = new Webhooks(this, 'Webhooks', { table, secrets });
    const { events } = webhooks;
    const uploads = new Uploads(this, 'Uploads', { table, media });
    const broadcasts = new WorkQueue(this, 'BroadcastQueue', {
      name: 'broadcasts',
      worker_timeout_s: SIZES['broadcast-controller'].timeout_s,
    });
    const publishing = new Publishing(this, 'Publishing', {
      table,
      secrets,
      events,
      broadcasts,
      media,
      publicUrl,
    });
    const { schedules } = publishing;
    schedules.grantForEvents(webhooks.dispatcher);
    const live = settings.live
      ? new Live(this, 'Live', { table, secrets, media, size: settings.liveSize })
      : null;
    new Broadcasts(this, 'Broadcasts', { table, secrets, schedules, events, queue: broadcasts, live });
    const housekeeping = new Housekeeping(this, 'Housekeeping', {
      table,
      secrets,
      schedules,
      events,
      uploads,
      broadcasts,
      publicUrl,
    });
    const background = { publishing, events, housekeeping, uploads, broadcasts };
    const sweeper = new Sweeper(this, 'Sweeper', { table, ...background });
    new Insights(this, 'Insights', { table, secrets, insightsPlatforms: settings.insightsPlatforms });
    const { upgradeUrl, redirectAllowlist } = settings;
    const ai = providerOf(settings);
    const parts = { gateway, table, secrets, media, isLiveEnabled: settings.live };
    new Api(this, 'Api', { ...parts, ...background, ai, upgradeUrl, redirectAllowlist });

    new Observability(this, 'Observability', {
      api: gateway.api,
      queues: [
        publishing.dispatch,
        ...publishing.publishQueues.map(({ queue }) => queue),
        events,
        housekeeping.queue,
        uploads.queue,
        broadcasts,
      ],
      sweeper: sweeper.worker,
      deadLetterReader: publishing.deadLetterReader,
      email: settings.alarmEmail,
    });
    new CfnOutput(this, 'BaseUrl', { value: publicUrl });
    new CfnOutput(this, 'MediaUrl', { value: media.url });
    new CfnOutput(this, 'TableName', { value: table.resource.tableName });
  }
}
