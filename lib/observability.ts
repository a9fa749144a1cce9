import { Duration, Stack } from 'aws-cdk-lib';
import {
  ComparisonOperator,
  Metric,
  type Alarm,
  type CreateAlarmOptions,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { OVERDUE_METRIC, OVERDUE_SERVICE } from '../shared/aws/env.ts';
import type { ServiceFunction } from './functions.ts';
import type { WorkQueue } from './work-queue.ts';

export interface ObservabilityProps {
  api: HttpApi;
  queues: readonly WorkQueue[];
  sweeper: ServiceFunction;
  /** Reads the publishers' dead letters. */
  deadLetterReader: ServiceFunction;
  /** Who hears of alarms; nobody where it is not set. */
  email: string | undefined;
}

/** Sweeps in a row, one a minute, that found something overdue: work comes in and does not get done. */
const SWEEPS_BEHIND = 20;

/**
 * An alarm for each way in which work can get stuck. Errors of a worker need none of their own: its note comes back, and
 * what fails for good is a dead letter.
 */
export class Observability extends Construct {
  private readonly topic: Topic | null;

  constructor(
    scope: Construct,
    id: string,
    { api, queues, sweeper, deadLetterReader, email }: ObservabilityProps,
  ) {
    super(scope, id);
    this.topic = email === undefined ? null : new Topic(this, 'Alarms', { enforceSSL: true });
    if (email !== undefined) this.topic?.addSubscription(new EmailSubscription(email));
    for (const dead of new Set(queues.map(({ deadLetters }) => deadLetters))) {
      this.alarm(nameOf(dead), dead.metricApproximateNumberOfMessagesVisible(), {
        alarmDescription: 'Dead letters that could not be worked off',
        threshold: 0,
      });
    }
    this.alarm('Overdue', overdueMetric(this), {
      alarmDescription: 'Every sweep finds something that should have moved, or there are no sweeps',
      threshold: 0,
      evaluationPeriods: SWEEPS_BEHIND,
      treatMissingData: TreatMissingData.BREACHING,
    });
    this.alarm('Posts-GivenUp', deadLetterReader.lambda.metricInvocations(), {
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
    options: Omit<CreateAlarmOptions, 'evaluationPeriods'> & { evaluationPeriods?: number },
  ): Alarm {
    const alarm = metric.createAlarm(this, id, {
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...options,
    });
    if (this.topic) alarm.addAlarmAction(new SnsAction(this.topic));
    return alarm;
  }
}

/** `Publish-DeadLetters` of the queue that the stack's tree calls `…/Publish/DeadLetters`. */
const nameOf = (queue: Queue) => queue.node.path.split('/').slice(-2).join('-');

/** What sweeper and dispatcher count (`shared/runtime/metrics.ts`). */
const overdueMetric = (scope: Construct) =>
  new Metric({
    namespace: Stack.of(scope).stackName,
    metricName: OVERDUE_METRIC,
    dimensionsMap: { service: OVERDUE_SERVICE },
    statistic: 'Sum',
    period: Duration.minutes(1),
  });
