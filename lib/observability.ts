import { Annotations, Aws, Duration, Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
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
import { Topic, type ITopic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { METRICS } from '../shared/aws/env.ts';
import type { ServiceFunction } from './functions.ts';

export interface ObservabilityProps {
  api: HttpApi;
  sweeper: ServiceFunction;
  /** Dollars a month of the account beyond which `email` is notified; undefined for none. */
  monthlyBudget: number | undefined;
  /** Is subscribed to all alarms. */
  email: string | undefined;
  /** Is notified of alarms in place of a new topic. Without a topic and an address, alarms only show in CloudWatch. */
  topic: ITopic | undefined;
}

const NO_EMAIL =
  'alarmEmail is not set: nobody is notified of alarms, which show in the CloudWatch console only.';

/** Consecutive sweeps, one a minute, that must find overdue items before the alarm: work arrives faster than it is done. */
const SWEEPS_BEHIND = 20;

/** Minutes without a successful sweep. */
const FAILED_SWEEPS = 5;

/**
 * One alarm for each way in which work can get stuck; each alarm costs 0.10 dollars a month. Errors of a single worker need no
 * alarm: SQS and Lambda try again, and what keeps failing becomes a dead letter. Neither do throttles and backlogs: work that
 * waits is overdue, and requests that wait are answered with 5xx.
 */
export class Observability extends Construct {
  /** Topic that is notified of alarms, or null. */
  readonly alarmTopic: ITopic | null;

  constructor(
    scope: Construct,
    id: string,
    { api, sweeper, monthlyBudget, email, topic }: ObservabilityProps,
  ) {
    super(scope, id);
    this.alarmTopic = topic ?? (email === undefined ? null : new Topic(this, 'Alarms', { enforceSSL: true }));
    if (this.alarmTopic) this.notifyBy(this.alarmTopic, email);
    else Annotations.of(this).addInfo(NO_EMAIL);
    if (monthlyBudget !== undefined && email !== undefined) this.addBudget(monthlyBudget, email);
    this.alarm('Overdue', sweepMetric(this, METRICS.sweep.overdue), {
      alarmDescription: 'Every sweep finds overdue items: work arrives faster than it is done',
      threshold: 0,
      evaluationPeriods: SWEEPS_BEHIND,
    });
    this.alarm('DeadLetters', sweepMetric(this, METRICS.sweep.dead_letters), {
      alarmDescription: 'Work failed on every attempt because of the service',
      threshold: 0,
    });
    this.alarm('Sweeper', sweeper.lambda.metricErrors({ period: Duration.minutes(1) }), {
      alarmDescription: 'The sweeper fails or does not run: lost messages are not recovered',
      threshold: 0,
      evaluationPeriods: FAILED_SWEEPS,
      // Each run writes the metric.
      treatMissingData: TreatMissingData.BREACHING,
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
  private notifyBy(topic: ITopic, email: string | undefined): void {
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
    if (email !== undefined) topic.addSubscription(new EmailSubscription(email));
  }

  /** Notifies of costs of the whole account: those of a stack alone need a cost allocation tag, which operators must activate. */
  private addBudget(amount: number, email: string): void {
    const notified = (notificationType: string, threshold: number) => ({
      notification: { notificationType, threshold, comparisonOperator: 'GREATER_THAN' },
      subscribers: [{ subscriptionType: 'EMAIL', address: email }],
    });
    new CfnBudget(this, 'Budget', {
      budget: {
        // Unique in the account: a stack of another region has another.
        budgetName: `${Stack.of(this).stackName}-${Aws.REGION}`,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount, unit: 'USD' },
      },
      notificationsWithSubscribers: [notified('ACTUAL', 80), notified('FORECASTED', 100)],
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
    if (this.alarmTopic) alarm.addAlarmAction(new SnsAction(this.alarmTopic));
    return alarm;
  }
}

/**
 * A metric that the sweeper writes while it is above zero (`shared/runtime/metrics.ts`). The dispatcher adds overdue posts, the
 * webhook dispatcher events that waited too long.
 */
const sweepMetric = (scope: Construct, metricName: string) =>
  new Metric({
    namespace: Stack.of(scope).stackName,
    metricName,
    dimensionsMap: { service: 'sweep' satisfies keyof typeof METRICS },
    statistic: 'Sum',
    period: Duration.minutes(1),
  });
