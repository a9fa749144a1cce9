import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { providerOf } from './ai.ts';
import { Api } from './api.ts';
import { Gateway } from './gateway.ts';
import { Housekeeping } from './housekeeping.ts';
import { MediaBucket } from './media-bucket.ts';
import { Insights } from './insights.ts';
import { Observability } from './observability.ts';
import { Publishing } from './publishing.ts';
import { Secrets } from './secrets.ts';
import type { Settings } from './settings.ts';
import { Sweeper } from './sweeper.ts';
import { ServiceTable } from './table.ts';
import { Uploads } from './uploads.ts';
import { Webhooks } from './webhooks.ts';
import { DeadLetters } from './work-queue.ts';

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

    const { platforms } = settings;

    const deadLetters = new DeadLetters(this, 'DeadLetters');
    const webhooks = new Webhooks(this, 'Webhooks', { table, secrets, deadLetters });
    const { events } = webhooks;
    const uploads = new Uploads(this, 'Uploads', { table, media, deadLetters });
    const work = { table, secrets, events, deadLetters, publicUrl };
    const publishing = new Publishing(this, 'Publishing', { ...work, media, platforms });
    const { schedules } = publishing;
    schedules.grantForEvents(webhooks.dispatcher);
    const housekeeping = new Housekeeping(this, 'Housekeeping', { ...work, schedules, uploads });
    const sweeper = new Sweeper(this, 'Sweeper', { ...work, publishing, housekeeping, uploads });
    new Insights(this, 'Insights', { table, secrets, insightsPlatforms: settings.insightsPlatforms });
    const { upgradeUrl, redirectAllowlist } = settings;
    const ai = providerOf(settings);
    const parts = { gateway, table, secrets, publishing, events, housekeeping, media, uploads };
    new Api(this, 'Api', { ...parts, ai, upgradeUrl, redirectAllowlist });

    new Observability(this, 'Observability', {
      api: gateway.api,
      sweeper: sweeper.worker,
      email: settings.alarmEmail,
    });
    new CfnOutput(this, 'BaseUrl', { value: publicUrl });
    new CfnOutput(this, 'MediaUrl', { value: media.url });
    new CfnOutput(this, 'TableName', { value: table.resource.tableName });
  }
}
