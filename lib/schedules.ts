import { Aws, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Role, ServicePrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnScheduleGroup, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import type { ServiceFunction } from './functions.ts';

/** Actions that pass the schedule's role. */
const WITH_TARGET: ReadonlySet<ScheduleAction> = new Set(['CreateSchedule', 'UpdateSchedule']);

export type ScheduleAction = 'CreateSchedule' | 'UpdateSchedule' | 'DeleteSchedule' | 'GetSchedule';

/** The queues that schedules send messages to. */
export interface ScheduleTargets {
  dispatch: Queue;
  events: Queue;
  broadcasts: Queue;
}

/** One-time schedules of waiting posts, webhook deliveries and broadcasts. A schedule can only send a message to their queues. */
export class Schedules extends Construct {
  private readonly group: ScheduleGroup;
  private readonly role: Role;
  private readonly queues: ScheduleTargets;

  constructor(scope: Construct, id: string, queues: ScheduleTargets) {
    super(scope, id);
    this.queues = queues;
    this.group = new ScheduleGroup(this, 'Group', {
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, 'Role', {
      description: 'Assumed by schedules to send their message',
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID, 'aws:SourceArn': this.group.scheduleGroupArn },
        },
      }),
    });
    this.role.addToPolicy(
      new PolicyStatement({
        actions: ['sqs:SendMessage'],
        resources: [queues.dispatch, queues.events, queues.broadcasts].map(({ queueArn }) => queueArn),
      }),
    );
  }

  get groupName(): string {
    return this.group.scheduleGroupName;
  }

  /** Allows these actions on schedules of posts. */
  grant(to: ServiceFunction, ...actions: ScheduleAction[]): void {
    this.allow(to.addEnvironment(ENV.dispatchQueueUrl, this.queues.dispatch.queueUrl), actions);
  }

  /** Lets the function create schedules of webhook deliveries. */
  grantForEvents(to: ServiceFunction): void {
    this.allow(to.addEnvironment(ENV.eventsQueueUrl, this.queues.events.queueUrl), ['CreateSchedule']);
  }

  /** Lets the function create schedules of broadcasts. */
  grantForBroadcasts(to: ServiceFunction): void {
    this.allow(to.addEnvironment(ENV.broadcastQueueUrl, this.queues.broadcasts.queueUrl), ['CreateSchedule']);
  }

  /** Allows the actions and sets the environment variables of the schedule group. */
  private allow(to: ServiceFunction, actions: readonly ScheduleAction[]): void {
    to.addEnvironment(ENV.scheduleGroup, this.group.scheduleGroupName)
      .addEnvironment(ENV.scheduleRoleArn, this.role.roleArn)
      .allow(
        actions.map(action => `scheduler:${action}`),
        this.schedulesArn(),
      );
    if (actions.some(action => WITH_TARGET.has(action))) this.grantPassRole(to);
    Validations.of(to).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/${this.generatedName()}/*]`,
      reason:
        'Schedules are named after posts, deliveries and broadcasts: the group is the narrowest resource that can be named.',
    });
  }

  /** Creating a schedule passes the role that the schedule assumes. */
  private grantPassRole(to: ServiceFunction): void {
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
      resourceName: `${this.generatedName()}/*`,
    });
  }

  /** Returns the name that CDK generates from the path of the group. */
  private generatedName(): string {
    const resource = this.group.node.defaultChild;
    if (resource instanceof CfnScheduleGroup && resource.name !== undefined) return resource.name;
    throw new Error('The group has no name');
  }
}
