import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { WAKE_INDEX } from '../shared/store/table.ts';
import { ENV } from '../shared/aws/env.ts';
import type { ServiceFunction } from './functions.ts';

/** The actions on items that the service knows. A transaction needs the actions of its parts. */
export type ItemAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem'
  | 'ConditionCheckItem';

/** The one table, and the sparse index of what should have moved by now. It outlives its stack. */
export class ServiceTable extends Construct {
  readonly resource: TableV2;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.resource = new TableV2(this, 'Table', {
      partitionKey: { name: 'PK', type: AttributeType.STRING },
      sortKey: { name: 'SK', type: AttributeType.STRING },
      globalSecondaryIndexes: [
        {
          indexName: WAKE_INDEX,
          partitionKey: { name: 'wake_shard', type: AttributeType.STRING },
          sortKey: { name: 'wake_at', type: AttributeType.NUMBER },
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
      timeToLiveAttribute: 'expires_at',
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  /** Tells the function the table, and lets it do just these actions on items. */
  open(to: ServiceFunction, ...actions: ItemAction[]): void {
    to.set(ENV.table, this.resource.tableName).allow(
      actions.map(action => `dynamodb:${action}`),
      this.resource.tableArn,
    );
  }

  /** Lets the function look for what is overdue. */
  openWakeIndex(to: ServiceFunction): void {
    to.set(ENV.table, this.resource.tableName).allow(
      ['dynamodb:Query'],
      `${this.resource.tableArn}/index/${WAKE_INDEX}`,
    );
  }
}
