import { Construct } from 'constructs';
import { routes as DOCS } from '../functions/docs/routes.ts';
import { API_GROUPS } from '../functions/routes.ts';
import { ENV } from '../shared/aws/env.ts';
import { LIVE_PLATFORM } from '../shared/broadcasts/account.ts';
import { PLATFORM_IDS } from '../shared/model/platform.ts';
import { QUOTAS } from '../shared/platforms/registry/quotas.ts';
import { shownBuckets } from '../shared/quota/shown.ts';
import { PUBLIC } from '../shared/store/objects.ts';
import type { ProviderSetting } from '../shared/ai/writer.ts';
import { grantProvider } from './ai.ts';
import type { Broadcasts } from './broadcasts.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import type { Gateway } from './gateway.ts';
import type { Housekeeping } from './housekeeping.ts';
import type { MediaBucket } from './media-bucket.ts';
import type { Publishing } from './publishing.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceTable } from './table.ts';
import type { Uploads } from './uploads.ts';
import type { WorkQueue } from './work-queue.ts';

export interface ApiProps {
  gateway: Gateway;
  table: ServiceTable;
  secrets: Secrets;
  publishing: Publishing;
  events: WorkQueue;
  housekeeping: Housekeeping;
  media: MediaBucket;
  uploads: Uploads;
  broadcasts: WorkQueue;
  controller: Broadcasts;
  /** Whether the deployment streams playlists. */
  isLiveEnabled: boolean;
  /** The caption provider. */
  ai: ProviderSetting;
  /** Public URL of the API with its version where one is set; otherwise links use the host of the request. */
  publicUrl: string | undefined;
  /** Page where the plan can be changed; returned in 403 responses of the plan check. */
  upgradeUrl: string;
  /** Origins that `redirect_url` of a connect may point to; `*` for any. */
  redirectAllowlist: readonly string[];
}

type GrantAccess = (group: ServiceFunction, props: ApiProps) => void;

/** What each endpoint group is granted in addition to `grantToAll`. */
const ACCESS: Readonly<Record<string, GrantAccess>> = {
  posts: (group, { table, secrets, publishing, media, uploads }) => {
    publishing.nameDisabled(group);
    table.grant(group, 'DeleteItem');
    secrets.grantReadPlatformApps(group, PLATFORM_IDS);
    publishing.grantSendToPublishers(group);
    publishing.dispatch.grantSend(group, ENV.dispatchQueueUrl);
    publishing.schedules.grant(group, 'CreateSchedule', 'DeleteSchedule');
    media.grantBelow(PUBLIC, group, 'GetObject', 'ListBucket');
    uploads.grantStart(group);
  },
  profiles: (group, { table, publishing, housekeeping, uploads }) => {
    table.grant(group, 'DeleteItem', 'BatchWriteItem');
    publishing.schedules.grant(group, 'DeleteSchedule');
    housekeeping.grantStart(group);
    uploads.grantReleaseCopies(group);
  },
  media: (group, { table, housekeeping }) => {
    table.grant(group, 'DeleteItem');
    housekeeping.grantStart(group);
  },
  uploads: (group, { table, media, uploads }) => {
    table.grant(group, 'DeleteItem');
    media.grant(
      group,
      'GetObject',
      'ListBucket',
      'PutObject',
      'DeleteObject',
      'AbortMultipartUpload',
      'ListMultipartUploadParts',
    );
    uploads.grantStart(group);
  },
  playlists: (group, { table }) => table.grant(group, 'DeleteItem'),
  analytics: () => undefined,
  queue: () => undefined,
  workspace: (group, { table, secrets }) => {
    table.grant(group, 'DeleteItem');
    secrets.grantReadPlatformApps(group, platformsWithQuotas());
  },
  integrations: (group, { table, secrets, publishing, redirectAllowlist }) => {
    table.grant(group, 'DeleteItem', 'BatchWriteItem');
    secrets.grantReadPlatformApps(group, PLATFORM_IDS);
    publishing.grantOpen(group);
    publishing.nameDisabled(group);
    group.addEnvironment(ENV.redirectAllowlist, redirectAllowlist.join(','));
  },
  broadcasts: (group, { table, secrets, publishing, broadcasts, controller, isLiveEnabled }) => {
    table.grant(group, 'DeleteItem');
    secrets.grantReadPlatformApps(group, [LIVE_PLATFORM]);
    broadcasts.grantSend(group, ENV.broadcastQueueUrl);
    controller.grantOpen(group);
    publishing.schedules.grantForBroadcasts(group);
    group.addEnvironment(ENV.liveEnabled, String(isLiveEnabled));
  },
  webhooks: (group, { events }) => {
    events.grantSend(group, ENV.eventsQueueUrl);
  },
  ai: (group, { ai, secrets }) => {
    group.addEnvironment(ENV.aiProvider, JSON.stringify(ai));
    grantProvider(group, ai, secrets);
  },
  docs: (group, { table }) => table.grant(group, 'GetItem'),
};

const platformsWithQuotas = () =>
  PLATFORM_IDS.filter(id => {
    const quota = QUOTAS[id];
    return quota !== undefined && shownBuckets(quota).length > 0;
  });

/**
 * Grants what every endpoint group needs: look up API keys and the profiles that a restricted one may use, count
 * requests, store sealed answers for idempotency keys.
 */
function grantToAll(group: ServiceFunction, { table, secrets }: ApiProps): void {
  table.grant(group, 'GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem');
  secrets.grantReadKeyRing(group);
}

/** The API: one Lambda function for each endpoint group, one gateway route for each row of its route table. */
export class Api extends Construct {
  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    for (const [name, routes] of Object.entries(API_GROUPS)) {
      const group = this.addGroup(name, props);
      grantToAll(group, props);
      props.gateway.route(routes, group);
    }
    const docs = this.addGroup('docs', props);
    props.gateway.route(DOCS, docs);
    props.gateway.routeFallback(docs);
  }

  private addGroup(name: string, props: ApiProps): ServiceFunction {
    const group = new ServiceFunction(this, name, {
      bundle: name,
      ...SIZES.api,
      environment: {
        [ENV.upgradeUrl]: props.upgradeUrl,
        ...(props.publicUrl !== undefined && { [ENV.publicUrl]: props.publicUrl }),
      },
    });
    const grantAccess = ACCESS[name];
    if (!grantAccess) throw new Error(`ACCESS in lib/api.ts has no entry for the endpoint group "${name}"`);
    grantAccess(group, props);
    return group;
  }
}
