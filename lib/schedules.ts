import { Aws, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Role, ServicePrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import type { ServiceFunction } from './functions.ts';

/** Calls that say what a schedule does. */
const WITH_TARGET: ReadonlySet<ScheduleAction> = new Set(['CreateSchedule', 'UpdateSchedule']);

export type ScheduleAction = 'CreateSchedule' | 'UpdateSchedule' | 'DeleteSchedule' | 'GetSchedule';

/** The queues that alarms put notes on. */
export interface OverdueQueues {
  dispatch: Queue;
  events: Queue;
}

/** The alarm clocks of posts and webhook deliveries that wait. All that a schedule can do is put a note on their queue. */
export class Schedules extends Construct {
  private readonly group: ScheduleGroup;
  private readonly role: Role;
  private readonly queues: OverdueQueues;

  constructor(scope: Construct, id: string, queues: OverdueQueues) {
    super(scope, id);
    this.queues = queues;
    this.group = new ScheduleGroup(this, 'Group', {
      scheduleGroupName: Stack.of(this).stackName,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, 'Role', {
      description: 'What a schedule may do when it fires',
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID, 'aws:SourceArn': this.group.scheduleGroupArn },
        },
      }),
    });
    this.role.addToPolicy(
      new PolicyStatement({
        actions: ['sqs:SendMessage'],
        resources: [queues.dispatch.queueArn, queues.events.queueArn],
      }),
    );
  }

  /** Lets the function do just these actions on the alarms of posts. */
  open(to: ServiceFunction, ...actions: ScheduleAction[]): void {
    this.allow(to.set(ENV.dispatchQueueUrl, this.queues.dispatch.queueUrl), actions);
  }

  /** Lets the function set alarms of webhook deliveries. */
  openForEvents(to: ServiceFunction): void {
    this.allow(to.set(ENV.eventsQueueUrl, this.queues.events.queueUrl), ['CreateSchedule']);
  }

  /** Tells the function the group, too. */
  private allow(to: ServiceFunction, actions: readonly ScheduleAction[]): void {
    to.set(ENV.scheduleGroup, this.group.scheduleGroupName)
      .set(ENV.scheduleRoleArn, this.role.roleArn)
      .allow(
        actions.map(action => `scheduler:${action}`),
        this.schedulesArn(),
      );
    if (actions.some(action => WITH_TARGET.has(action))) this.letPassRole(to);
    Validations.of(to).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/${this.groupName()}/*]`,
      reason:
        'Schedules are named after posts and deliveries: the group is the narrowest thing that can be named here.',
    });
  }

  /** A schedule is given the role that it acts in. */
  private letPassRole(to: ServiceFunction): void {
    to.lambda.addToRolePolicy(
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [this.role.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
      }),
    );
  }

  private schedulesArn(): string {
    return Stack.of(this).formatArn({
      service: 'scheduler',
      resource: 'schedule',
      resourceName: `${this.groupName()}/*`,
    });
  }

  private groupName(): string {
    return Stack.of(this).stackName;
  }
}
