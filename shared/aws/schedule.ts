import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import { toIso } from '../time/instant.ts';
import { asciiJson } from './ascii-json.ts';
import type { Loadable } from './clients.ts';
import type { Message } from './queue.ts';

const sdk = () => import('./sdk/scheduler.ts');

/** A one-time schedule that sends a message to a queue. */
export interface Schedule {
  /** Unique in its schedule group; at most 64 characters. */
  name: string;
  scheduleGroup: string;
  /** The role that EventBridge Scheduler assumes to send the message. */
  roleArn: string;
  message: Omit<Message, 'delayS'>;
  /** Epoch milliseconds, rounded down to the second. Fires within a minute of it. */
  at: number;
}

/** Creates a schedule; an existing one of the same name is left as it is, so that a repeated request is harmless. */
export async function createSchedule(
  scheduler: Loadable<SchedulerClient>,
  schedule: Schedule,
): Promise<void> {
  const { ConflictException, CreateScheduleCommand } = await sdk();
  const client = await scheduler;
  try {
    await client.send(
      new CreateScheduleCommand({
        Name: schedule.name,
        GroupName: schedule.scheduleGroup,
        ScheduleExpression: `at(${toIso(schedule.at).slice(0, 19)})`,
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: targetOf(schedule),
      }),
    );
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
  }
}

/** Deletes a schedule; succeeds where there is none, as after it has fired. */
export async function deleteSchedule(
  scheduler: Loadable<SchedulerClient>,
  { name, scheduleGroup }: Pick<Schedule, 'name' | 'scheduleGroup'>,
): Promise<void> {
  const { DeleteScheduleCommand, ResourceNotFoundException } = await sdk();
  const client = await scheduler;
  try {
    await client.send(new DeleteScheduleCommand({ Name: name, GroupName: scheduleGroup }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
}

/**
 * The universal target `sqs:sendMessage`. The templated SQS target sets a message group for FIFO queues only; here it is
 * the tenant of a fair standard queue.
 * https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html
 */
function targetOf({ roleArn, message }: Schedule) {
  const [, partition] = roleArn.split(':');
  return {
    Arn: `arn:${partition}:scheduler:::aws-sdk:sqs:sendMessage`,
    RoleArn: roleArn,
    Input: JSON.stringify({
      QueueUrl: message.queueUrl,
      MessageBody: asciiJson(message.body),
      MessageGroupId: message.group,
    }),
  };
}
