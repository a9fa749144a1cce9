import { Annotations, Aws, Duration, Stack } from 'aws-cdk-lib';
import {
  ComparisonOperator,
  Metric,
  type Alarm,
  type CreateAlarmOptions,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
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
  /** Consumes the dead-letter queue of the publish queues. */
  deadLetterReader: ServiceFunction;
  /** Subscribed to all alarms; without it, alarms only show in CloudWatch. */
  email: string | undefined;
}

const NO_EMAIL =
  'alarmEmail is not set: nobody is notified of alarms, which show in the CloudWatch console only.';

/** Consecutive sweeps, one a minute, that must find overdue items before the alarm: work arrives faster than it is done. */
const SWEEPS_BEHIND = 20;

/**
 * An alarm for each way in which work can get stuck. Errors of a single worker need no alarm: SQS redelivers the message,
 * and a message that keeps failing becomes a dead letter.
 */
export class Observability extends Construct {
  private readonly topic: Topic | null;

  constructor(
    scope: Construct,
    id: string,
    { api, queues, sweeper, deadLetterReader, email }: ObservabilityProps,
  ) {
    super(scope, id);
    this.topic = email === undefined ? null : this.addTopic(email);
    if (email === undefined) Annotations.of(this).addInfo(NO_EMAIL);
    for (const dead of new Set(queues.map(({ deadLetters }) => deadLetters))) {
      this.alarm(nameOf(dead), dead.metricApproximateNumberOfMessagesVisible(), {
        alarmDescription: 'A dead-letter queue holds messages that could not be processed',
        threshold: 0,
      });
    }
    this.alarm('Overdue', overdueMetric(this), {
      alarmDescription: 'Every sweep finds overdue items, or the sweeper does not run',
      threshold: 0,
      evaluationPeriods: SWEEPS_BEHIND,
      treatMissingData: TreatMissingData.BREACHING,
    });
    this.alarm('Posts-DeadLettered', deadLetterReader.lambda.metricInvocations(), {
      alarmDescription: 'Posts failed because of the service, not because of their platform',
      threshold: 0,
    });
    this.alarm('Sweeper-Errors', sweeper.lambda.metricErrors(), {
      alarmDescription: 'The sweeper fails: lost messages are not recovered',
      threshold: 2,
    });
    this.alarm('Api-ServerErrors', api.metricServerError({ statistic: 'Sum' }), {
      alarmDescription: 'The API answers with 5xx',
      threshold: 5,
    });
  }

  /**
   * A topic with a policy loses the default one, which lets CloudWatch publish.
   * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
   */
  private addTopic(email: string): Topic {
    const topic = new Topic(this, 'Alarms', { enforceSSL: true });
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
    topic.addSubscription(new EmailSubscription(email));
    return topic;
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

/** Returns `Publish-DeadLetters` for the construct path `…/Publish/DeadLetters`. */
const nameOf = (queue: Queue) => queue.node.path.split('/').slice(-2).join('-');

/** The metric that sweeper and dispatcher publish (`shared/runtime/metrics.ts`). */
const overdueMetric = (scope: Construct) =>
  new Metric({
    namespace: Stack.of(scope).stackName,
    metricName: OVERDUE_METRIC,
    dimensionsMap: { service: OVERDUE_SERVICE },
    statistic: 'Sum',
    period: Duration.minutes(1),
  });
