import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { WAKE_INDEX } from '../shared/store/table.ts';
import { ENV } from '../shared/aws/env.ts';
import type { Grantee, ServiceFunction } from './functions.ts';
import type { ExistingTable } from './social-publishing-props.ts';

/** The DynamoDB actions that the service uses. A transaction needs the actions of its parts. */
export type ItemAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem'
  | 'ConditionCheckItem';

/** The table with the sparse index of overdue items. It is retained when the stack is deleted. */
export class ServiceTable extends Construct {
  readonly name: string;
  private readonly arn: string;

  /** `existing`: is used in place of a new table. */
  constructor(scope: Construct, id: string, { existing }: { existing?: ExistingTable | undefined } = {}) {
    super(scope, id);
    const { tableName, tableArn } = existing ?? this.create();
    this.name = tableName;
    this.arn = tableArn;
  }

  private create(): TableV2 {
    return new TableV2(this, 'Table', {
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

  /** Allows these actions on items and sets the environment variable of the table. */
  grant(to: Grantee, ...actions: ItemAction[]): void {
    to.addEnvironment(ENV.table, this.name).allow(
      actions.map(action => `dynamodb:${action}`),
      this.arn,
    );
  }

  /** Lets the function query the index of overdue items. */
  grantQueryWakeIndex(to: ServiceFunction): void {
    to.addEnvironment(ENV.table, this.name).allow(['dynamodb:Query'], `${this.arn}/index/${WAKE_INDEX}`);
  }
}
