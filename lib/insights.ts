import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import { INSIGHTS } from '../shared/platforms/registry.ts';
import { PLATFORM_IDS } from '../shared/model/platform.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceTable } from './table.ts';

export interface InsightsProps {
  table: ServiceTable;
  secrets: Secrets;
  /** Platforms whose posts are measured. */
  measured: readonly string[];
}

/** Every quarter of an hour: how posts were received, on platforms that tell. */
export class Insights extends Construct {
  constructor(scope: Construct, id: string, { table, secrets, measured }: InsightsProps) {
    super(scope, id);
    const gatherer = new ServiceFunction(this, 'Gatherer', { bundle: 'insights', ...SIZES.insights });
    table.open(gatherer, 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem');
    secrets.openKeyRing(gatherer);
    secrets.openPlatformApps(
      gatherer,
      PLATFORM_IDS.filter(platform => INSIGHTS[platform]),
    );
    gatherer.set(ENV.measured, measured.join(','));
    new Rule(this, 'EveryQuarter', {
      schedule: Schedule.rate(Duration.minutes(15)),
      // What was not looked at is looked at in the next run.
      targets: [new LambdaFunction(gatherer.lambda, { retryAttempts: 0 })],
    });
  }
}
