import { Construct } from 'constructs';
import { API_GROUPS } from '../functions/routes.ts';
import { ENV } from '../shared/aws/env.ts';
import { PLATFORM_IDS } from '../shared/model/platform.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import type { Gateway } from './gateway.ts';
import type { Publishing } from './publishing.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceTable } from './table.ts';
import type { WorkQueue } from './work-queue.ts';

export interface ApiProps {
  gateway: Gateway;
  table: ServiceTable;
  secrets: Secrets;
  publishing: Publishing;
  events: WorkQueue;
  /** Where a plan can be changed; part of the 403 of the plan gate. */
  upgradeUrl: string;
}

/** What a group may do beyond what every group needs. */
const ACCESS: Readonly<Record<string, (group: ServiceFunction, props: ApiProps) => void>> = {
  posts: (group, { publishing }) => {
    publishing.openForPosts(group);
    publishing.schedules.open(group, 'CreateSchedule', 'UpdateSchedule', 'DeleteSchedule');
  },
  profiles: (group, { publishing }) => publishing.schedules.open(group, 'DeleteSchedule'),
  integrations: (group, { secrets }) => secrets.openPlatformApps(group, PLATFORM_IDS),
  webhooks: (group, { events }) => events.openForSending(group, ENV.eventsQueueUrl),
};

/** The endpoints: a function a group, a route a row of its table. */
export class Api extends Construct {
  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    for (const [name, routes] of Object.entries(API_GROUPS)) {
      props.gateway.route(routes, this.addGroup(name, props));
    }
    props.gateway.routeTheRest(new ServiceFunction(this, 'docs', { bundle: 'docs', ...SIZES.api }));
  }

  private addGroup(name: string, props: ApiProps): ServiceFunction {
    const group = new ServiceFunction(this, name, { bundle: name, ...SIZES.api });
    group.set(ENV.upgradeUrl, props.upgradeUrl);
    props.table.open(group, 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem');
    props.secrets.openKeyRing(group);
    ACCESS[name]?.(group, props);
    return group;
  }
}
