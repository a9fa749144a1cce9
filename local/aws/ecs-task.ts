import { randomUUID } from 'node:crypto';
import { ACCOUNT, REGION } from '../template/names.ts';
import type { TaskDefinitionResource } from '../template/tasks.ts';
import type { TaskProcess } from './task-process.ts';

export type StopCode = 'UserInitiated' | 'EssentialContainerExited' | 'TaskFailedToStart';

export interface Task {
  id: string;
  arn: string;
  clusterArn: string;
  definition: TaskDefinitionResource;
  token: string | null;
  /** The request as it was made, to tell a repeated one from another with the same token. */
  request: string;
  startedBy: string | null;
  group: string;
  lastStatus: 'RUNNING' | 'STOPPED';
  desiredStatus: 'RUNNING' | 'STOPPED';
  /** Epoch milliseconds. */
  createdAt: number;
  stoppedAt: number | null;
  /** Why it stops. */
  stop: { code: StopCode; reason: string } | null;
  exitCode: number | null;
  process: TaskProcess;
  ended: PromiseWithResolvers<undefined>;
}

/** A task as the API returns it, with times in epoch seconds. */
export const taskView = (task: Task) => described(task, at => at / 1000);

/** The event of a task that has stopped, with times in ISO 8601. */
export const changeEvent = (task: Task) => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'ECS Task State Change',
  source: 'aws.ecs',
  account: ACCOUNT,
  region: REGION,
  time: iso(task.stoppedAt ?? task.createdAt),
  resources: [task.arn],
  detail: described(task, iso),
});

const iso = (at: number) => new Date(at).toISOString();

function described<T>(task: Task, time: (at: number) => T) {
  const { definition, startedBy, stoppedAt, stop, exitCode } = task;
  return {
    taskArn: task.arn,
    clusterArn: task.clusterArn,
    taskDefinitionArn: definition.arn,
    launchType: 'FARGATE',
    group: task.group,
    lastStatus: task.lastStatus,
    desiredStatus: task.desiredStatus,
    createdAt: time(task.createdAt),
    ...(startedBy !== null && { startedBy }),
    ...(stoppedAt !== null && { stoppedAt: time(stoppedAt) }),
    ...(stop && { stopCode: stop.code, stoppedReason: stop.reason }),
    containers: [
      {
        name: definition.container,
        lastStatus: task.lastStatus,
        ...(exitCode !== null && { exitCode }),
      },
    ],
  };
}
