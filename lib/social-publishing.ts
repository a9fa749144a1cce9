import { Annotations, CfnOutput } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { LIVE_PLATFORM } from '../shared/broadcasts/account.ts';
import { providerOf } from './ai.ts';
import { Api } from './api.ts';
import { Broadcasts } from './broadcasts.ts';
import { capOf, concurrencyCaps, fittingPlatforms } from './concurrency.ts';
import { ServiceDashboard } from './dashboard.ts';
import { SIZES } from './functions.ts';
import { Gateway } from './gateway.ts';
import { Housekeeping } from './housekeeping.ts';
import { MediaBucket } from './media-bucket.ts';
import { Insights } from './insights.ts';
import { Live } from './live.ts';
import { Observability } from './observability.ts';
import { OUTPUTS } from './outputs.ts';
import { Publishing } from './publishing.ts';
import { SavedQueries } from './queries.ts';
import { Secrets } from './secrets.ts';
import { serviceSettings, type ServiceSettings } from './settings.ts';
import type { SocialPublishingProps } from './social-publishing-props.ts';
import { Sweeper } from './sweeper.ts';
import { ServiceTable } from './table.ts';
import { Uploads } from './uploads.ts';
import { Webhooks } from './webhooks.ts';
import { DeadLetters, WorkQueue } from './work-queue.ts';

export type { ExistingTable, ServiceDomain, SocialPublishingProps } from './social-publishing-props.ts';

/** The whole service. A stack has at most one: names of parameters and metrics begin with the name of the stack. */
export class SocialPublishing extends Construct {
  /** Base URL of the API, with its version. */
  readonly url: string;
  /** Base URL of uploaded media. */
  readonly mediaUrl: string;
  readonly tableName: string;
  readonly bucketName: string;
  /** Topic that is notified of alarms; null without `alarmTopic` and `alarmEmail`. */
  readonly alarmTopic: ITopic | null;

  constructor(scope: Construct, id: string, props: SocialPublishingProps = {}) {
    super(scope, id);
    const { table: existingTable, bucket, alarmTopic, domain, ...given } = props;
    const settings = serviceSettings(given);
    const { platforms, lambdaConcurrency } = settings;
    const table = new ServiceTable(this, 'Data', { existing: existingTable });
    const secrets = new Secrets(this, 'Secrets');
    const media = new MediaBucket(this, 'Media', { cdn: settings.mediaCdn, existing: bucket });
    const gateway = new Gateway(this, 'Gateway', { allowedOrigins: settings.allowedOrigins, domain });
    const publicUrl = settings.publicUrl ?? gateway.url;
    const concurrency = concurrencyCaps(platforms, lambdaConcurrency);

    const deadLetters = new DeadLetters(this, 'DeadLetters');
    const webhooks = new Webhooks(this, 'Webhooks', {
      table,
      secrets,
      deadLetters,
      maxConcurrency: capOf(concurrency, 'events'),
    });
    const { events } = webhooks;
    const uploads = new Uploads(this, 'Uploads', { table, media, deadLetters });
    const broadcasts = new WorkQueue(this, 'BroadcastQueue', {
      name: 'broadcasts',
      worker_timeout_s: SIZES['broadcast-controller'].timeout_s,
      deadLetters,
    });
    const work = { table, secrets, events, broadcasts, deadLetters, publicUrl };
    const publishing = new Publishing(this, 'Publishing', { ...work, media, platforms, concurrency });
    const { schedules } = publishing;
    schedules.grantForEvents(webhooks.dispatcher);
    const isLiveEnabled = settings.live && platforms.includes(LIVE_PLATFORM);
    const live = isLiveEnabled
      ? new Live(this, 'Live', { table, secrets, media, size: settings.liveSize })
      : null;
    const controller = new Broadcasts(this, 'Broadcasts', {
      ...work,
      schedules,
      queue: broadcasts,
      live,
      concurrency,
    });
    const housekeeping = new Housekeeping(this, 'Housekeeping', { ...work, schedules, uploads });
    const sweeper = new Sweeper(this, 'Sweeper', {
      ...work,
      publishing,
      housekeeping,
      uploads,
      controller,
    });
    new Insights(this, 'Insights', { table, secrets, insightsPlatforms: settings.insightsPlatforms });
    const { upgradeUrl, redirectAllowlist } = settings;
    const ai = providerOf(settings);
    const parts = { ...work, gateway, publishing, housekeeping, media, uploads, controller };
    const explicitUrl = settings.publicUrl ?? (domain ? gateway.url : undefined);
    new Api(this, 'Api', {
      ...parts,
      isLiveEnabled,
      ai,
      upgradeUrl,
      redirectAllowlist,
      publicUrl: explicitUrl,
    });

    const observability = new Observability(this, 'Observability', {
      api: gateway.api,
      sweeper: sweeper.worker,
      monthlyBudget: settings.monthlyBudget,
      email: settings.alarmEmail,
      topic: alarmTopic,
    });
    new ServiceDashboard(this, 'Dashboard', { api: gateway.api });
    new SavedQueries(this, 'Queries');
    this.warnOfQuota(settings);
    this.url = publicUrl;
    this.mediaUrl = media.url;
    this.tableName = table.name;
    this.bucketName = media.name;
    this.alarmTopic = observability.alarmTopic;
    this.output(OUTPUTS.baseUrl, this.url);
    this.output(OUTPUTS.mediaUrl, this.mediaUrl);
    this.output(OUTPUTS.table, this.tableName);
    this.output(OUTPUTS.bucket, this.bucketName);
    this.output(OUTPUTS.sweeper, sweeper.worker.lambda.functionName);
    this.output(OUTPUTS.scheduleGroup, schedules.groupName);
    if (this.alarmTopic) this.output(OUTPUTS.alarmTopic, this.alarmTopic.topicArn);
  }

  /** `npm run admin` finds an output by its name, whatever the id of the construct. */
  private output(name: string, value: string): void {
    new CfnOutput(this, name, { value }).overrideLogicalId(name);
  }

  private warnOfQuota({ platforms, lambdaConcurrency }: ServiceSettings): void {
    const fitting = fittingPlatforms(platforms, lambdaConcurrency);
    if (fitting === null) return;
    Annotations.of(this).addWarningV2(
      'lambdaConcurrency',
      `With ${lambdaConcurrency} concurrent invocations, more than ${fitting} connected platforms can leave the API without any: ` +
        'name fewer `platforms`, or ask AWS for a higher quota of Lambda.',
    );
  }
}
