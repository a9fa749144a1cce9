import { ConflictException, CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import type { JsonObject } from '../model/json.ts';
import { toIso } from '../time/instant.ts';

/** A note that is to be put on a queue once. */
export interface Alarm {
  /** Unique in its group; at most 64 characters. */
  name: string;
  group: string;
  /** In whose name the note is put there. */
  roleArn: string;
  queueArn: string;
  note: JsonObject;
  /** Epoch milliseconds, of which the seconds count. It fires within a minute of it. */
  at: number;
}

/** Sets an alarm. One of the same name stays as it is: a repetition of the same request finds it there. */
export async function createAlarm(scheduler: SchedulerClient, alarm: Alarm): Promise<void> {
  try {
    await scheduler.send(
      new CreateScheduleCommand({
        Name: alarm.name,
        GroupName: alarm.group,
        ScheduleExpression: `at(${toIso(alarm.at).slice(0, 19)})`,
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: { Arn: alarm.queueArn, RoleArn: alarm.roleArn, Input: JSON.stringify(alarm.note) },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
  }
}
