import { Construct } from 'constructs';
import { routes as DOCS } from '../functions/docs/routes.ts';
import { API_GROUPS } from '../functions/routes.ts';
import { ENV } from '../shared/aws/env.ts';
import { PLATFORM_IDS } from '../shared/model/platform.ts';
import type { ProviderSetting } from '../shared/ai/writer.ts';
import { openProvider } from './ai.ts';
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
  /** Who writes captions. */
  ai: ProviderSetting;
  /** Where a plan can be changed; part of the 403 of the plan gate. */
  upgradeUrl: string;
  /** Origins to which a connect may send its user back; `*` for any. */
  redirectAllowlist: readonly string[];
}

type Access = (group: ServiceFunction, props: ApiProps) => void;

/** What each group may do beside what all may. */
const ACCESS: Readonly<Record<string, Access>> = {
  posts: (group, { table, publishing, media, uploads }) => {
    table.open(group, 'BatchGetItem', 'Query', 'DeleteItem');
    publishing.openLanes(group);
    publishing.dispatch.openForSending(group, ENV.dispatchQueueUrl);
    publishing.schedules.open(group, 'CreateSchedule', 'DeleteSchedule');
    media.open(group, 'GetObject', 'ListBucket');
    uploads.openForSending(group);
  },
  profiles: (group, { table, publishing, housekeeping }) => {
    table.open(group, 'Query', 'DeleteItem', 'BatchWriteItem');
    publishing.schedules.open(group, 'DeleteSchedule');
    housekeeping.openForSending(group);
  },
  media: (group, { table, housekeeping }) => {
    table.open(group, 'Query', 'DeleteItem');
    housekeeping.openForSending(group);
  },
  uploads: (group, { table, media, uploads }) => {
    table.open(group, 'BatchGetItem', 'DeleteItem');
    media.open(
      group,
      'GetObject',
      'ListBucket',
      'PutObject',
      'DeleteObject',
      'AbortMultipartUpload',
      'ListMultipartUploadParts',
    );
    uploads.openForSending(group);
  },
  playlists: (group, { table }) => table.open(group, 'BatchGetItem', 'Query', 'DeleteItem'),
  analytics: (group, { table }) => table.open(group, 'BatchGetItem', 'Query'),
  queue: (group, { table }) => table.open(group, 'BatchGetItem', 'Query'),
  workspace: (group, { table }) => table.open(group, 'Query', 'DeleteItem'),
  integrations: (group, { table, secrets, redirectAllowlist }) => {
    table.open(group, 'BatchGetItem', 'Query', 'DeleteItem');
    secrets.openPlatformApps(group, PLATFORM_IDS);
    group.set(ENV.redirectAllowlist, redirectAllowlist.join(','));
  },
  webhooks: (group, { table, events }) => {
    table.open(group, 'Query');
    events.openForSending(group, ENV.eventsQueueUrl);
  },
  ai: (group, { ai, secrets }) => {
    group.set(ENV.aiProvider, JSON.stringify(ai));
    openProvider(group, ai, secrets);
  },
  docs: (group, { table }) => table.open(group, 'GetItem'),
};

/** What all groups of the API do: look up keys, count requests, keep the answers of creating requests sealed. */
function openToAll(group: ServiceFunction, { table, secrets }: ApiProps): void {
  table.open(group, 'GetItem', 'PutItem', 'UpdateItem');
  secrets.openKeyRing(group);
}

/** The endpoints: a function a group, a route a row of its table. */
export class Api extends Construct {
  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    for (const [name, routes] of Object.entries(API_GROUPS)) {
      const group = this.addGroup(name, props);
      openToAll(group, props);
      props.gateway.route(routes, group);
    }
    const docs = this.addGroup('docs', props);
    props.gateway.route(DOCS, docs);
    props.gateway.routeTheRest(docs);
  }

  private addGroup(name: string, props: ApiProps): ServiceFunction {
    const group = new ServiceFunction(this, name, {
      bundle: name,
      ...SIZES.api,
      environment: { [ENV.upgradeUrl]: props.upgradeUrl },
    });
    const open = ACCESS[name];
    if (!open) throw new Error(`lib/api.ts does not say what the endpoint group "${name}" may do`);
    open(group, props);
    return group;
  }
}
