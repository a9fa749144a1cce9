import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { providerOf } from './ai.ts';
import { Api } from './api.ts';
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
    const publishing = new Publishing(this, 'Publishing', { table, secrets, events, media, publicUrl });
    const { schedules } = publishing;
    schedules.grantForEvents(webhooks.dispatcher);
    if (settings.live) new Live(this, 'Live', { table, secrets, media, size: settings.liveSize });
    const housekeeping = new Housekeeping(this, 'Housekeeping', {
      table,
      secrets,
      schedules,
      events,
      uploads,
      publicUrl,
    });
    const sweeper = new Sweeper(this, 'Sweeper', { table, publishing, events, housekeeping, uploads });
    new Insights(this, 'Insights', { table, secrets, insightsPlatforms: settings.insightsPlatforms });
    const { upgradeUrl, redirectAllowlist } = settings;
    const ai = providerOf(settings);
    const parts = { gateway, table, secrets, publishing, events, housekeeping, media, uploads };
    new Api(this, 'Api', { ...parts, ai, upgradeUrl, redirectAllowlist });

    new Observability(this, 'Observability', {
      api: gateway.api,
      queues: [
        publishing.dispatch,
        ...publishing.publishQueues.map(({ queue }) => queue),
        events,
        housekeeping.queue,
        uploads.queue,
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
