import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import { BASICS } from '../shared/platforms/registry/basics.ts';
import { PLATFORM_IDS } from '../shared/model/platform.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceTable } from './table.ts';

export interface InsightsProps {
  table: ServiceTable;
  secrets: Secrets;
  /** Platforms whose posts are measured; `['none']` for none. */
  insightsPlatforms: readonly string[];
}

/** Reads likes, comments, shares and views of published posts every 15 minutes, on platforms that provide them. */
export class Insights extends Construct {
  constructor(scope: Construct, id: string, { table, secrets, insightsPlatforms }: InsightsProps) {
    super(scope, id);
    const reader = new ServiceFunction(this, 'Reader', {
      bundle: 'insights',
      ...SIZES.insights,
      traced: false,
    }).neverRunAgain();
    table.grant(reader, 'GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem');
    secrets.grantReadKeyRing(reader);
    secrets.grantReadPlatformApps(
      reader,
      PLATFORM_IDS.filter(platform => BASICS[platform].reading_ages_ms),
    );
    reader.addEnvironment(ENV.measured, insightsPlatforms.join(','));
    new Rule(this, 'EveryQuarter', {
      schedule: Schedule.rate(Duration.minutes(15)),
      // Readings that are still due are read by the next run.
      targets: [new LambdaFunction(reader.lambda, { retryAttempts: 0 })],
    });
  }
}
