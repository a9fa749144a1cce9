import {
  ConflictException,
  DescribeTasksCommand,
  InvalidParameterException,
  ListTasksCommand,
  RunTaskCommand,
  StopTaskCommand,
  type ECSClient,
} from '@aws-sdk/client-ecs';
import { describeError, log } from '../runtime/log.ts';
import { WORKER_ENV, type WorkerRef, type WorkerSettings, type WorkerTasks } from './tasks.ts';

type Settings = NonNullable<WorkerSettings>;

/** Runs workers as Fargate tasks. */
export function createEcsTasks(ecs: ECSClient, settings: Settings): WorkerTasks {
  const { cluster } = settings;
  return {
    run: async worker => {
      const arn = await runTask(ecs, settings, worker);
      return arn === undefined ? 'no_capacity' : { arn };
    },
    stop: async (arn, reason) => {
      try {
        await ecs.send(new StopTaskCommand({ cluster, task: arn, reason }));
      } catch (error) {
        // ECS forgets a task about an hour after its end.
        if (!(error instanceof InvalidParameterException)) throw error;
      }
    },
    isRunning: async arn => {
      const { tasks: [task] = [] } = await ecs.send(new DescribeTasksCommand({ cluster, tasks: [arn] }));
      return task !== undefined && task.lastStatus !== 'STOPPED';
    },
    runningOf: async sessionId => {
      const { taskArns = [] } = await ecs.send(new ListTasksCommand({ cluster, startedBy: sessionId }));
      return taskArns;
    },
  };
}

/** Returns the ARN of the task; undefined without one: no capacity, no free address, or a call that ECS refuses. */
async function runTask(ecs: ECSClient, settings: Settings, worker: WorkerRef): Promise<string | undefined> {
  try {
    const { tasks: [task] = [] } = await ecs.send(runCommand(settings, worker));
    return task?.taskArn;
  } catch (error) {
    // The service was deployed in between: the first call had another revision of the task definition.
    if (error instanceof ConflictException) return error.resourceIds?.[0];
    // The controller tries again, and gives up in time: thrown, it would be received again and again.
    const { sessionId: session_id, attempt } = worker;
    log.error('ECS refused to start a worker', { session_id, attempt, ...describeError(error) });
    return undefined;
  }
}

/**
 * The client token makes a repeated call return the first task. The group carries the workspace into the event that reports
 * the end of the task. Overrides are shown by ECS and CloudTrail, so they hold ids only.
 */
function runCommand(settings: Settings, { sessionId, workspaceId, attempt }: WorkerRef): RunTaskCommand {
  return new RunTaskCommand({
    cluster: settings.cluster,
    taskDefinition: settings.task_definition,
    launchType: 'FARGATE',
    clientToken: `${sessionId}:${attempt}`,
    startedBy: sessionId,
    group: workspaceId,
    networkConfiguration: {
      awsvpcConfiguration: {
        subnets: settings.subnets,
        securityGroups: settings.security_groups,
        // Public subnets without a NAT gateway: a task without an address reaches nothing.
        assignPublicIp: 'ENABLED',
      },
    },
    overrides: {
      containerOverrides: [
        {
          name: settings.container,
          environment: [
            { name: WORKER_ENV.sessionId, value: sessionId },
            { name: WORKER_ENV.workspaceId, value: workspaceId },
            { name: WORKER_ENV.attempt, value: String(attempt) },
          ],
        },
      ],
    },
  });
}
