import { Duration } from 'aws-cdk-lib';
import {
  ComparisonOperator,
  type Alarm,
  type CreateAlarmOptions,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { ServiceFunction } from './functions.ts';
import type { WorkQueue } from './work-queue.ts';

export interface ObservabilityProps {
  api: HttpApi;
  queues: readonly WorkQueue[];
  sweeper: ServiceFunction;
  /** Reads the publishers' dead letters. */
  deadLetters: ServiceFunction;
  /** Who hears of alarms; nobody where it is not set. */
  email: string | undefined;
}

/** A note that nobody took for so long is a post that will be late. */
const OLDEST_NOTE = Duration.minutes(20);

/**
 * An alarm for each way in which work can get stuck. Errors of a worker need none of their own: its note comes back, and
 * what fails for good is a dead letter.
 */
export class Observability extends Construct {
  private readonly topic: Topic | null;

  constructor(
    scope: Construct,
    id: string,
    { api, queues, sweeper, deadLetters, email }: ObservabilityProps,
  ) {
    super(scope, id);
    this.topic = email === undefined ? null : new Topic(this, 'Alarms', { enforceSSL: true });
    if (email !== undefined) this.topic?.addSubscription(new EmailSubscription(email));
    for (const { node, queue, deadLetters: dead } of queues) {
      this.alarm(`${node.id}-DeadLetters`, dead.metricApproximateNumberOfMessagesVisible(), {
        alarmDescription: 'Dead letters that could not be worked off',
        threshold: 0,
      });
      this.alarm(`${node.id}-OldestNote`, queue.metricApproximateAgeOfOldestMessage(), {
        alarmDescription: 'Notes wait too long for a worker',
        threshold: OLDEST_NOTE.toSeconds(),
      });
    }
    this.alarm('Posts-GivenUp', deadLetters.lambda.metricInvocations(), {
      alarmDescription: 'Posts failed because the service did, not their platform',
      threshold: 0,
    });
    this.alarm('Sweeper-Errors', sweeper.lambda.metricErrors(), {
      alarmDescription: 'The sweeper fails: nothing lost would be found again',
      threshold: 2,
    });
    this.alarm('Api-ServerErrors', api.metricServerError({ statistic: 'Sum' }), {
      alarmDescription: 'The API answers with 5xx',
      threshold: 5,
    });
  }

  private alarm(
    id: string,
    metric: Metric,
    options: Pick<CreateAlarmOptions, 'alarmDescription' | 'threshold'>,
  ): Alarm {
    const alarm = metric.createAlarm(this, id, {
      ...options,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (this.topic) alarm.addAlarmAction(new SnsAction(this.topic));
    return alarm;
  }
}
