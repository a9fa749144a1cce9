import { ConflictException, CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import { toIso } from '../time/instant.ts';
import type { Message } from './queue.ts';

/** A note that is to be put on a queue once. */
export interface Schedule {
  /** Unique in its group of schedules; at most 64 characters. */
  name: string;
  scheduleGroup: string;
  /** In whose name the note is put there. */
  roleArn: string;
  message: Omit<Message, 'delayS'>;
  /** Epoch milliseconds, of which the seconds count. It fires within a minute of it. */
  at: number;
}

/** Sets an alarm. One of the same name stays as it is: a repetition of the same request finds it there. */
export async function createSchedule(scheduler: SchedulerClient, alarm: Schedule): Promise<void> {
  try {
    await scheduler.send(
      new CreateScheduleCommand({
        Name: alarm.name,
        GroupName: alarm.scheduleGroup,
        ScheduleExpression: `at(${toIso(alarm.at).slice(0, 19)})`,
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: sending(alarm),
      }),
    );
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
  }
}

/**
 * The call that Scheduler makes. Its target "a queue" names a message group to FIFO queues only; as a universal target
 * it makes the very call we make ourselves, whose group a standard queue takes for the tenant.
 * https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html
 */
function sending({ roleArn, message }: Schedule) {
  const [, partition] = roleArn.split(':');
  return {
    Arn: `arn:${partition}:scheduler:::aws-sdk:sqs:sendMessage`,
    RoleArn: roleArn,
    Input: JSON.stringify({
      QueueUrl: message.queueUrl,
      MessageBody: JSON.stringify(message.body),
      MessageGroupId: message.group,
    }),
  };
}
